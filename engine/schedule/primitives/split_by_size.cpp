#include <fmt/format.h>

#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_split_by_size {
namespace {

Step with_value(Step const& step, int64_t value) {
  Step split{"split", step.targets, {{"factor", value}}, step.gives};
  return split;
}

int64_t shown(Step const& step) {
  return std::get<int64_t>(step.arguments.at(step.arguments.contains("at") ? "at" : "high"));
}

std::expected<Proof, Refusal> check(Move const& move) {
  auto extent = plain_loop(move.program, move.loops[0], "split_by_size");
  if (!extent) return std::unexpected(extent.error());
  std::string name = reference_of(move.program, move.loops[0].loop->id);
  int64_t low = move.number("low"), high = move.number("high");
  if (low > high || high > *extent)
    return refuse("size_out_of_range",
                  fmt::format("{} has {} iterations: a size from {} to {} is not a valid factor",
                              name, *extent, low, high),
                  "split_by_size: low <= high <= the extent", move.loops);
  if (shown(move.step) < low || shown(move.step) > high)
    return refuse("size_out_of_range",
                  fmt::format("the sample value of {} is {}, which is not from {} to {}",
                              move.word("size"), shown(move.step), low, high),
                  "split_by_size: low <= at <= high", move.loops);
  if (free_name(move.program, move.loops[0], move.word("size")) != move.word("size"))
    return refuse("name_taken", fmt::format("the name {} is already used", move.word("size")),
                  "split_by_size: the size must have a name of its own", move.loops);
  return Proof{"a split keeps the order of iterations, whatever its factor"};
}

/// With the value that is shown.
Applied apply(Move const& move) {
  Step const step = with_value(move.step, shown(move.step));
  return find_primitive("split")->apply(
      {move.program, move.target, move.loops, step, move.blocks, move.effort});
}

Applied apply_open(Move const& move) {
  ir::For const& loop = *move.loops[0].loop;
  Applied applied{move.program, {}, {}};
  ir::Expr size = ir::var(move.word("size"));
  applied.program.sizes.push_back({size, move.number("low"), move.number("high")});
  ir::Expr outer_var = ir::var(made_name(move, 0, loop.name() + ".0"));
  ir::Expr inner_var = ir::var(made_name(move, 1, loop.name() + ".1"));
  ir::Expr value = outer_var * size + inner_var;
  ir::Expr outer = ir::floor_div(loop.extent + (size - ir::int_imm(1)), size);
  ir::LoopId outer_id = applied.program.fresh_loop(), inner_id = applied.program.fresh_loop();
  ir::Stmt body =
      rebind(loop.body, {{loop.name(), value}}, value < loop.extent, {}, move.loops[0].around);
  body = ir::make<ir::For>(inner_id, inner_var, size, ir::LoopKind::kSerial, body);
  body = ir::make<ir::For>(outer_id, outer_var, outer, ir::LoopKind::kSerial, body);
  applied.program.body = ir::replace_loop(move.program.body, loop.id, body);
  applied.cursors[loop.id] = {outer_id, inner_id};
  applied.made = {outer_id, inner_id};
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "split_by_size",
      .key = "Shift+T",
      .title = "Split a loop by a symbolic size",
      .doc =
          "Splits a loop by a factor that is chosen when the kernel is called: one piece of code "
          "for every value from low to high. Later steps must be legal for each of them; views "
          "show the program with the sample value `at`.",
      .rewrite =
          "for i in 10: A[i]  -->  size T in 1..5: for i.0 in (10+T-1)//T: for i.1 in T: if "
          "i.0*T+i.1 < 10: A[i.0*T+i.1]",
      .refused = "cannot be split by a size",
      .gives = 2,
      .parameters = {{.name = "size", .doc = "the name of the size", .word = true},
                     {.name = "low",
                      .doc = "the minimum value",
                      .low = 1,
                      .high = int64_t(1) << 40,
                      .preset = 1},
                     {.name = "high",
                      .doc = "the maximum value",
                      .low = 1,
                      .high = int64_t(1) << 40,
                      .counts = 0},
                     {.name = "at",
                      .doc = "the sample value; default: the maximum",
                      .low = 1,
                      .high = int64_t(1) << 40,
                      .optional = true,
                      .counts = 0}},
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{apply_open, with_value, shown},
      .refuses = {"extent_unknown", "loop_annotated", "not_only_blocks", "opaque_block",
                  "size_out_of_range"},
  };
  return primitive;
}

}  // namespace tw::primitive_split_by_size
