#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/macro.h"

namespace tw::primitive_tile {
namespace {

/// Two splits and a reorder, in the words of a script. The names are those of the result.
std::vector<Step> steps_of(StepRequest const& request) {
  std::vector<Step> steps;
  std::vector<std::string> outer, inner;
  for (size_t i = 0; i < 2; ++i) {
    std::string reference = reference_of(request.program, request.loops[i].loop->id);
    std::string name = request.loops[i].loop->name();
    std::string stage = reference.substr(0, reference.size() - name.size());
    std::string first = made_name(request, i, name + ".0"),
                second = made_name(request, i + 2, name + ".1");
    steps.push_back({"split",
                     {reference},
                     {{"factor", request.number(i == 0 ? "outer_factor" : "inner_factor")}},
                     {first, second}});
    outer.push_back(stage + first);
    inner.push_back(stage + second);
  }
  steps.push_back({"reorder", {outer[0], outer[1], inner[0], inner[1]}, {}, {}});
  return steps;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto done = run_steps(request, steps_of(request));
  if (!done) return std::unexpected(done.error());
  return Proof{"two splits, and a reorder that is legal"};
}

Applied apply(StepRequest const& request) {
  Applied applied = *run_steps(request, steps_of(request));
  for (size_t part = 0; part < 2; ++part)
    for (size_t i = 0; i < 2; ++i)
      applied.made.push_back(applied.cursors.at(request.loops[i].loop->id)[part]);
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "tile",
      .key = "T",
      .title = "Tile two loops",
      .doc =
          "Splits the iterations of two loops into rectangular tiles and runs one tile after the "
          "other: two splits and a reorder.",
      .rewrite =
          "for i in 6: for j in 8: S  -->  for i.0 in 3: for j.0 in 2: for i.1 in 2: for j.1 in 4: "
          "S",
      .at_hand = true,
      .targets = 2,
      .gives = 4,
      .parameters = {{.name = "outer_factor",
                      .doc = "rows of a tile: iterations of the first loop",
                      .low = 1,
                      .high = int64_t(1) << 40,
                      .counts = 0},
                     {.name = "inner_factor",
                      .doc = "columns of a tile: iterations of the second loop",
                      .low = 1,
                      .high = int64_t(1) << 40,
                      .counts = 1}},
      .check = check,
      .apply = apply,
      .refuses = {"dependence_carried", "extent_unknown", "factor_out_of_range",
                  "kinds_do_not_nest", "loop_annotated", "not_on_one_chain", "not_only_blocks",
                  "not_perfectly_nested", "opaque_block", "order_carried", "reduction_carried",
                  "start_not_first", "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_tile
