#include <fmt/format.h>

#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/copies.h"

namespace tw::primitive_loop_partition {
namespace {

using namespace ir;

constexpr char kCondition[] =
    "loop_partition: the loop must be serial and contain blocks but no allocations, and 'at' must "
    "be inside its range";

/// A reduction that starts in the first part goes on in the second: none of its iterations there
/// is the one that starts.
bool starts_in_the_first_part(Block const& block, For const& loop, Expr const& value,
                              arith::Ranges const& ranges) {
  if (!block.init) return true;
  for (IterVar const& iter : block.iters) {
    if (iter.kind != IterKind::kReduce || !uses_variable(iter.binding, loop.name())) continue;
    Expr binding = substitute(iter.binding, {{loop.name(), value}});
    if (arith::always(int_imm(1) <= binding, ranges)) return true;
  }
  return false;
}

/// Iterations `at` and later, as the second part counts them.
Expr second_value(StepRequest const& request, Expr const& counter) {
  return counter + int_imm(request.number("at"));
}

arith::Ranges ranges_with(StepRequest const& request, BlockSite const& site,
                          std::string const& counter) {
  arith::Ranges ranges;
  for (For const* loop : site.loops)
    ranges.set(loop->name(), {0, as_int(loop->extent).value_or(1) - 1});
  for (For const* loop : request.loops[0].around)
    ranges.set(loop->name(), {0, as_int(loop->extent).value_or(1) - 1});
  int64_t extent = *as_int(request.loops[0].loop->extent);
  ranges.set(counter, {0, extent - request.number("at") - 1});
  return ranges;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  For const& loop = *request.loops[0].loop;
  auto extent = plain_loop(request.program, request.loops[0], "loop_partition");
  if (!extent) return std::unexpected(extent.error());
  std::string name = reference_of(request.program, loop.id);
  if (request.number("at") >= *extent)
    return refuse("partition_out_of_range",
                  fmt::format("{} has {} iterations, so 'at' must be from 1 to {}", name, *extent,
                              *extent - 1),
                  kCondition, request.loops);
  Expr counter = var("counter");
  for (BlockSite const& site : blocks_of(loop.body)) {
    bool sums = site.block->init && feeds(*site.block, loop, true);
    if (sums && !starts_in_the_first_part(*site.block, loop, second_value(request, counter),
                                          ranges_with(request, site, "counter")))
      return refuse(
          "start_undecided",
          fmt::format("block {} could start its sum in either part of {}", site.block->name, name),
          kCondition, request.loops);
  }
  return Proof{.by = "the iterations run in the same order", .orders_turns = true};
}

/// With the sums going on that the first part starts.
Stmt second_copy(StepRequest const& request, Stmt const& body, Program& program) {
  std::set<BlockId> goes_on;
  for (BlockSite const& site : blocks_of(body))
    if (feeds(*site.block, *request.loops[0].loop, true)) goes_on.insert(site.block->id);
  return Copies(request.program, program).copy(body, "_2", goes_on);
}

Applied apply(StepRequest const& request) {
  For const& loop = *request.loops[0].loop;
  Applied applied{request.program, {}, {}};
  int64_t at = request.number("at"), rest = *as_int(loop.extent) - at;
  std::string first_name = made_name(request, 0, loop.name() + ".0"),
              second_name = made_name(request, 1, loop.name() + ".1");
  LoopId first = applied.program.fresh_loop(), second = applied.program.fresh_loop();
  Expr head = var(first_name), tail = var(second_name);
  Stmt copy = second_copy(request, loop.body, applied.program);
  Stmt parts = seq({make<For>(first, head, int_imm(at), LoopKind::kSerial,
                              rebind(loop.body, {{loop.name(), head}}, nullptr, {{first_name, at}},
                                     request.loops[0].around)),
                    make<For>(second, tail, int_imm(rest), LoopKind::kSerial,
                              rebind(copy, {{loop.name(), second_value(request, tail)}}, nullptr,
                                     {{second_name, rest}}, request.loops[0].around))});
  applied.program.body = replace_loop(request.program.body, loop.id, parts);
  applied.cursors[loop.id] = {first, second};
  applied.made = {first, second};
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "loop_partition",
      .key = "B",
      .title = "Partition a loop",
      .doc =
          "Splits the iterations of a loop into two loops, one after the other. A remainder, or "
          "the rows at a border, then get code without guards and can be scheduled separately.",
      .rewrite = "for i in 10: S(i)  -- at=8 -->  for i.0 in 8: S(i.0); for i.1 in 2: S(i.1 + 8)",
      .gives = 2,
      .parameters = {{.name = "at",
                      .doc = "iterations of the first loop",
                      .low = 1,
                      .high = int64_t(1) << 40}},
      .check = check,
      .apply = apply,
      .refuses = {"extent_unknown", "loop_annotated", "not_only_blocks", "opaque_block",
                  "partition_out_of_range", "start_undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_loop_partition
