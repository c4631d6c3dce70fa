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

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto extent = plain_loop(request.program, request.loops[0], "split_by_size");
  if (!extent) return std::unexpected(extent.error());
  std::string name = reference_of(request.program, request.loops[0].loop->id);
  int64_t low = request.number("low"), high = request.number("high");
  if (low > high || high > *extent)
    return refuse("size_out_of_range",
                  fmt::format("{} has {} iterations: a size from {} to {} is not a valid factor",
                              name, *extent, low, high),
                  "split_by_size: low <= high <= the extent", request.loops);
  if (shown(request.step) < low || shown(request.step) > high)
    return refuse("size_out_of_range",
                  fmt::format("the sample value of {} is {}, which is not from {} to {}",
                              request.word("size"), shown(request.step), low, high),
                  "split_by_size: low <= at <= high", request.loops);
  if (free_name(request.program, request.loops[0], request.word("size")) != request.word("size"))
    return refuse("name_taken", fmt::format("the name {} is already used", request.word("size")),
                  "split_by_size: the size must have a name of its own", request.loops);
  return Proof{"a split keeps the order of iterations, whatever its factor"};
}

/// With the value that is shown.
Applied apply(StepRequest const& request) {
  Step const step = with_value(request.step, shown(request.step));
  return find_primitive("split")->apply(
      {request.program, request.target, request.loops, step, request.blocks, request.budget});
}

Applied apply_open(StepRequest const& request) {
  ir::For const& loop = *request.loops[0].loop;
  Applied applied{request.program, {}, {}};
  ir::Expr size = ir::var(request.word("size"));
  applied.program.sizes.push_back({size, request.number("low"), request.number("high")});
  ir::Expr outer_var = ir::var(made_name(request, 0, loop.name() + ".0"));
  ir::Expr inner_var = ir::var(made_name(request, 1, loop.name() + ".1"));
  ir::Expr value = outer_var * size + inner_var;
  ir::Expr outer = ir::floor_div(loop.extent + (size - ir::int_imm(1)), size);
  ir::LoopId outer_id = applied.program.fresh_loop(), inner_id = applied.program.fresh_loop();
  ir::Stmt body =
      rebind(loop.body, {{loop.name(), value}}, value < loop.extent, {}, request.loops[0].around);
  body = ir::make<ir::For>(inner_id, inner_var, size, ir::LoopKind::kSerial, body);
  body = ir::make<ir::For>(outer_id, outer_var, outer, ir::LoopKind::kSerial, body);
  applied.program.body = ir::replace_loop(request.program.body, loop.id, body);
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
