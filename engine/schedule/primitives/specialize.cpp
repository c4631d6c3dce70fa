#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/copies.h"

namespace tw::primitive_specialize {
namespace {

using namespace ir;

constexpr char kCondition[] =
    "specialize: the loop must depend on a symbolic size that can have the value";

std::string name_of(SizeParam const& size) { return size.var.to<Variable>().name; }

/// Null: the program has no such size.
SizeParam const* size_of(StepRequest const& request) {
  auto found = std::ranges::find(request.program.sizes, request.word("size"), name_of);
  return found == request.program.sizes.end() ? nullptr : &*found;
}

Stmt nest_of(StepRequest const& request) { return Stmt(request.loops[0].loop); }

Expr is_value(StepRequest const& request) {
  return binary(BinaryOp::kEq, var(request.word("size")), int_imm(request.number("value")));
}
Expr is_other(StepRequest const& request) {
  return binary(BinaryOp::kNe, var(request.word("size")), int_imm(request.number("value")));
}

std::expected<void, Refusal> value_fits(StepRequest const& request) {
  std::string const& name = request.word("size");
  int64_t value = request.number("value");
  SizeParam const* size = size_of(request);
  if (!size) {
    std::vector<std::string> names;
    for (SizeParam const& one : request.program.sizes) names.push_back(name_of(one));
    return refuse("unknown_size",
                  fmt::format("there is no symbolic size {}; the symbolic sizes are {}", name,
                              fmt::join(names, ", ")),
                  kCondition, request.loops);
  }
  if (value < size->low || value > size->high)
    return refuse(
        "value_out_of_range",
        fmt::format("{} is from {} to {}, and never {}", name, size->low, size->high, value),
        kCondition, request.loops);
  if (size->low == size->high)
    return refuse("one_value", fmt::format("{} is always {}", name, value), kCondition,
                  request.loops);
  return {};
}

/// Guards say when a nest runs; what it is made of are extents and indices.
bool depends_on(Stmt const& nest, std::string const& size) {
  bool depends = false;
  walk(nest, [&](Stmt const& s) {
    if (auto const* loop = s.as<For>()) depends = depends || uses_variable(loop->extent, size);
    auto const* block = s.as<Block>();
    for (size_t i = 0; block && i < block->iters.size(); ++i)
      depends = depends || uses_variable(block->iters[i].binding, size) ||
                uses_variable(block->iters[i].extent, size);
    return !depends && !block;
  });
  return depends;
}

/// A block of the nest that runs for other values only.
Block const* never_with_the_value(StepRequest const& request) {
  for (BlockSite const& site : blocks_under(request.loops[0]))
    for (Expr const& part : conjuncts(site.block->predicate))
      if (equal(part, is_other(request))) return site.block;
  return nullptr;
}

std::expected<void, Refusal> can_be_copied(StepRequest const& request) {
  LoopSite const& site = request.loops[0];
  std::string name = reference_of(request.program, site.loop->id);
  for (For const* around : site.around)
    if (around->loop_kind == LoopKind::kVector)
      return refuse("inside_vector",
                    fmt::format("{} is inside the vectorized loop {}", name, around->name()),
                    "specialize: lanes of a vector cannot branch separately", {site});
  for (BlockSite const& block : blocks_under(site)) {
    if (block.block->body.as<IntrinsicCall>())
      return refuse("holds_a_call",
                    fmt::format("{} is a call inside of {}", block.block->name, name),
                    "specialize: the nest must consist of blocks that can be copied", {site});
  }
  return {};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  if (auto fits = value_fits(request); !fits) return std::unexpected(fits.error());
  std::string name = reference_of(request.program, request.loops[0].loop->id);
  if (!depends_on(nest_of(request), request.word("size")))
    return refuse("size_not_used",
                  fmt::format("nothing inside of {} depends on {}", name, request.word("size")),
                  kCondition, request.loops);
  if (Block const* block = never_with_the_value(request))
    return refuse("never_there",
                  fmt::format("{} runs only where {} is not {}", block->name, request.word("size"),
                              request.number("value")),
                  kCondition, request.loops);
  if (auto copied = can_be_copied(request); !copied) return std::unexpected(copied.error());
  return Proof{
      .by = "for every value of the size one of the two copies runs, and they are the same nest",
      .orders_turns = true};
}

Stmt with_simple_extents(Stmt const& nest) {
  return rewrite_stmts(nest, [](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    if (!loop) return nullptr;
    return make_from<For>(loop->origin, loop->id, loop->var, arith::simplify(loop->extent),
                          loop->loop_kind, loop->body, loop->bind);
  });
}

/// The branch's outermost loop has the name that the step gives it.
Stmt with_name(StepRequest const& request, Stmt const& branch) {
  For const& loop = branch.to<For>();
  if (request.step.gives.empty() || request.step.gives[0] == loop.name()) return branch;
  Expr counter = var(request.step.gives[0]);
  Stmt body = rebind(loop.body, {{loop.name(), counter}}, nullptr, {}, request.loops[0].around);
  return make_from<For>(loop.origin, loop.id, counter, loop.extent, loop.loop_kind, body,
                        loop.bind);
}

Applied apply(StepRequest const& request) {
  LoopSite const& site = request.loops[0];
  Applied applied{request.program, {}, {}};
  Stmt nest = nest_of(request);
  Copies copies(request.program, applied.program);
  Stmt branch = with_simple_extents(
      substitute(nest, {{request.word("size"), int_imm(request.number("value"))}}));
  // "C_8": what is called C, a block or its tensor, where the size is 8.
  branch = copies.copy(branch, fmt::format("_{}", request.number("value")));
  branch = rebind(with_name(request, branch), {}, is_value(request), {}, site.around);
  Stmt rest = rebind(nest, {}, is_other(request), {}, site.around);
  applied.program.body = replace_loop(request.program.body, site.loop->id, seq({branch, rest}));
  applied.made = {copies.loop(site.loop->id)};
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "specialize",
      .key = "Shift+S",
      .title = "Specialize a nest for one value of a size",
      .doc =
          "Copies the nest for one value of a symbolic size, with the size folded to that "
          "constant: loops of that extent can be vectorized and unrolled, and guards that always "
          "hold are removed. One of the two runs. The copy's blocks and tensors have the value in "
          "their names.",
      .rewrite = "for i in T: S(i)  -->  if T == 8: for i in 8: S_8(i); else: for i in T: S(i)",
      .refused = "cannot be specialized",
      .gives = 1,
      .parameters = {{.name = "size",
                      .doc = "a symbolic size",
                      .low = 0,
                      .high = 0,
                      .word = true,
                      .open_size = true},
                     {.name = "value",
                      .doc = "the size's value that the copy is for",
                      .low = 0,
                      .high = int64_t(1) << 40}},
      .check = check,
      .apply = apply,
      .looks_into_blocks = true,
      .open_sizes = OpenSizes{apply},
      .refuses = {"holds_a_call", "inside_vector", "never_there", "one_value", "size_not_used",
                  "unknown_size", "value_out_of_range"},
  };
  return primitive;
}

}  // namespace tw::primitive_specialize
