#include <fmt/format.h>

#include "engine/schedule/legality/annotate.h"
#include "engine/schedule/legality/independence.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_vectorize {
namespace {

constexpr int64_t kMostLanes = 64;

std::expected<Proof, Refusal> check(StepRequest const& request) {
  ir::LoopSite const& site = request.loops[0];
  auto extent = plain_loop(request.program, site, "vectorize");
  if (!extent) return std::unexpected(extent.error());
  std::string name = reference_of(request.program, site.loop->id);
  if (*extent > kMostLanes)
    return refuse(
        "too_many_lanes",
        fmt::format("{} has {} iterations, but a vector has at most {} lanes: split it first", name,
                    *extent, kMostLanes),
        fmt::format("vectorize: at most {} iterations", kMostLanes), request.loops);
  if (auto fit = kinds_nest(site, ir::LoopKind::kVector, "vectorize"); !fit)
    return std::unexpected(fit.error());
  if (std::set<std::string> own = tensors_of_iteration(request.target, *site.loop); !own.empty())
    return refuse("holds_a_tensor",
                  fmt::format("every iteration of {} has its own tensor {}", name, *own.begin()),
                  "vectorize: no tensor may be allocated inside the loop", request.loops);
  return independent_iterations(request.program, request.target, site, "vectorize", request.budget);
}

Applied apply(StepRequest const& request) { return with_kind(request, ir::LoopKind::kVector); }

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "vectorize",
      .key = "V",
      .title = "Vectorize a loop",
      .doc =
          "Runs all iterations of a loop (at most 64) as lanes of vector instructions. Loops "
          "inside it stay serial or unrolled; a guard becomes a mask of the lanes.",
      .rewrite = "for i in 16: A[i] = B[i]  -->  A[0:16] = B[0:16]",
      .refused = "cannot be vectorized",
      .marks = ir::LoopKind::kVector,
      .at_hand = true,
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{apply},
      .refuses = {"dependence_carried", "extent_unknown", "holds_a_tensor", "kinds_do_not_nest",
                  "loop_annotated", "not_only_blocks", "opaque_block", "order_carried",
                  "reduction_carried", "too_many_lanes", "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_vectorize
