#include <fmt/format.h>

#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_split {
namespace {

/// Outer and inner extent; with `parts` the last outer iterations may be empty.
std::pair<ir::Expr, ir::Expr> extents(Move const& move, ir::Expr const& extent) {
  int64_t number = move.number(move.has("factor") ? "factor" : "parts");
  ir::Expr given = ir::int_imm(number), other = ir::floor_div(extent + (number - 1), given);
  return move.has("factor") ? std::pair{other, given} : std::pair{given, other};
}

/// Null where the product of both is the extent.
ir::Expr guard_of(ir::Expr const& value, ir::Expr const& extent, ir::Expr const& product) {
  auto whole = ir::as_int(extent), covered = ir::as_int(product);
  return whole && whole == covered ? nullptr : value < extent;
}

std::string const& name_of(ir::Expr const& variable) { return variable.to<ir::Variable>().name; }

std::expected<Proof, Refusal> check(Move const& move) {
  auto extent = plain_loop(move.program, move.loops[0], "split");
  if (!extent) return std::unexpected(extent.error());
  std::string name = reference_of(move.program, move.loops[0].loop->id);
  if (move.has("factor") == move.has("parts"))
    return refuse("factor_or_parts",
                  "give either factor (the inner extent) or parts (the outer extent), not both",
                  "split: exactly one of factor and parts must be given", move.loops);
  int64_t given = move.has("factor") ? move.number("factor") : move.number("parts");
  bool one_of_many = !move.program.sizes.empty();
  if (given > *extent && !one_of_many)
    return refuse("factor_out_of_range",
                  fmt::format("{} has {} iterations: {} is outside the range 1 to {}", name,
                              *extent, given, *extent),
                  "split: the factor must be from 1 to the extent", move.loops);
  return Proof{"a split keeps the order of iterations"};
}

Applied apply(Move const& move) {
  ir::For const& loop = *move.loops[0].loop;
  auto [outer, inner] = extents(move, loop.extent);
  Applied applied{move.program, {}, {}};
  ir::Expr outer_var = ir::var(made_name(move, 0, loop.name() + ".0"));
  ir::Expr inner_var = ir::var(made_name(move, 1, loop.name() + ".1"));
  ir::Expr value = outer_var * inner + inner_var;
  ir::Expr guard = guard_of(value, loop.extent, outer * inner);
  std::vector<std::pair<std::string, int64_t>> known;
  for (auto const& [variable, extent] : {std::pair{outer_var, outer}, {inner_var, inner}})
    if (auto iterations = ir::as_int(extent)) known.emplace_back(name_of(variable), *iterations);
  ir::LoopId outer_id = applied.program.fresh_loop(), inner_id = applied.program.fresh_loop();
  ir::Stmt body = rebind(loop.body, {{loop.name(), value}}, guard, known, move.loops[0].around);
  body = ir::make<ir::For>(inner_id, inner_var, inner, ir::LoopKind::kSerial, body);
  body = ir::make<ir::For>(outer_id, outer_var, outer, ir::LoopKind::kSerial, body);
  applied.program.body = ir::replace_loop(move.program.body, loop.id, body);
  applied.cursors[loop.id] = {outer_id, inner_id};
  applied.made = {outer_id, inner_id};
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "split",
      .key = "S",
      .title = "Split a loop",
      .doc =
          "Splits a loop of N iterations into an outer and an inner one. The factor need not "
          "divide N: a guard skips the remainder.",
      .rewrite =
          "for i in 10: A[i]  -->  for i.0 in 3: for i.1 in 4: if i.0*4+i.1 < 10: A[i.0*4+i.1]",
      .refused = "cannot be split this way",
      .at_hand = true,
      .gives = 2,
      .parameters = {{.name = "factor",
                      .doc = "iterations of the inner loop",
                      .low = 1,
                      .high = int64_t(1) << 40,
                      .optional = true,
                      .counts = 0},
                     {.name = "parts",
                      .doc = "iterations of the outer loop",
                      .low = 1,
                      .high = int64_t(1) << 40,
                      .optional = true,
                      .counts = 0}},
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{apply},
      .refuses = {"extent_unknown", "factor_or_parts", "factor_out_of_range", "loop_annotated",
                  "not_only_blocks", "opaque_block"},
  };
  return primitive;
}

}  // namespace tw::primitive_split
