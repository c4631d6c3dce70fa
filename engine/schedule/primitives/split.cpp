#include <fmt/format.h>

#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_split {
namespace {

/// Outer and inner extent; with `parts` the last outer iterations may be empty.
std::pair<ir::Expr, ir::Expr> extents(StepRequest const& request, ir::Expr const& extent) {
  int64_t number = request.number(request.has("factor") ? "factor" : "parts");
  ir::Expr given = ir::int_imm(number), other = ir::floor_div(extent + (number - 1), given);
  return request.has("factor") ? std::pair{other, given} : std::pair{given, other};
}

/// Null where the product of both is the extent.
ir::Expr guard_of(ir::Expr const& value, ir::Expr const& extent, ir::Expr const& product) {
  auto whole = ir::as_int(extent), covered = ir::as_int(product);
  return whole && whole == covered ? nullptr : value < extent;
}

std::string const& name_of(ir::Expr const& variable) { return variable.to<ir::Variable>().name; }

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto extent = plain_loop(request.program, request.loops[0], "split");
  if (!extent) return std::unexpected(extent.error());
  std::string name = reference_of(request.program, request.loops[0].loop->id);
  if (request.has("factor") == request.has("parts"))
    return refuse("factor_or_parts",
                  "give either factor (the inner extent) or parts (the outer extent), not both",
                  "split: exactly one of factor and parts must be given", request.loops);
  int64_t given = request.has("factor") ? request.number("factor") : request.number("parts");
  bool one_of_many = !request.program.sizes.empty();
  if (given > *extent && !one_of_many)
    return refuse("factor_out_of_range",
                  fmt::format("{} has {} iterations: {} is outside the range 1 to {}", name,
                              *extent, given, *extent),
                  "split: the factor must be from 1 to the extent", request.loops);
  return Proof{"a split keeps the order of iterations"};
}

Applied apply(StepRequest const& request) {
  ir::For const& loop = *request.loops[0].loop;
  auto [outer, inner] = extents(request, loop.extent);
  Applied applied{request.program, {}, {}};
  ir::Expr outer_var = ir::var(made_name(request, 0, loop.name() + ".0"));
  ir::Expr inner_var = ir::var(made_name(request, 1, loop.name() + ".1"));
  ir::Expr value = outer_var * inner + inner_var;
  ir::Expr guard = guard_of(value, loop.extent, outer * inner);
  std::vector<std::pair<std::string, int64_t>> known;
  for (auto const& [variable, extent] : {std::pair{outer_var, outer}, {inner_var, inner}})
    if (auto iterations = ir::as_int(extent)) known.emplace_back(name_of(variable), *iterations);
  ir::LoopId outer_id = applied.program.fresh_loop(), inner_id = applied.program.fresh_loop();
  ir::Stmt body = rebind(loop.body, {{loop.name(), value}}, guard, known, request.loops[0].around);
  body = ir::make<ir::For>(inner_id, inner_var, inner, ir::LoopKind::kSerial, body);
  body = ir::make<ir::For>(outer_id, outer_var, outer, ir::LoopKind::kSerial, body);
  applied.program.body = ir::replace_loop(request.program.body, loop.id, body);
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
