#include <fmt/format.h>

#include "engine/schedule/legality/annotate.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_unroll {
namespace {

constexpr int64_t kMostCopies = 1024;

/// Copies of the innermost statement: the product of all unrolled extents around and below.
int64_t copies(ir::LoopSite const& site) {
  int64_t count = *ir::as_int(site.loop->extent), below = 1;
  for (ir::For const* around : site.around)
    if (around->loop_kind == ir::LoopKind::kUnroll) count *= ir::as_int(around->extent).value_or(1);
  for (ir::LoopSite const& inner : ir::loops_of(site.loop->body))
    if (inner.loop->loop_kind == ir::LoopKind::kUnroll)
      below *= ir::as_int(inner.loop->extent).value_or(1);
  return count > kMostCopies ? count : count * below;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto extent = plain_loop(request.program, request.loops[0], "unroll");
  if (!extent) return std::unexpected(extent.error());
  if (auto fit = kinds_nest(request.loops[0], ir::LoopKind::kUnroll, "unroll"); !fit)
    return std::unexpected(fit.error());
  int64_t count = copies(request.loops[0]);
  if (count > kMostCopies)
    return refuse(
        "too_many_copies",
        fmt::format(
            "unrolling {} would make {} copies of its body; the limit is {}: split it first",
            reference_of(request.program, request.loops[0].loop->id), count, kMostCopies),
        fmt::format("unroll: at most {} copies, including those of other unrolled loops",
                    kMostCopies),
        request.loops);
  return Proof{"unrolling keeps the order of iterations"};
}

Applied apply(StepRequest const& request) { return with_kind(request, ir::LoopKind::kUnroll); }

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "unroll",
      .key = "U",
      .title = "Unroll a loop",
      .doc =
          "Copies the loop body for every iteration, so that registers can hold what it works on.",
      .rewrite = "for i in 3: A[i]  -->  A[0]; A[1]; A[2]",
      .refused = "cannot be unrolled",
      .marks = ir::LoopKind::kUnroll,
      .at_hand = true,
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{apply},
      .refuses = {"extent_unknown", "kinds_do_not_nest", "loop_annotated", "not_only_blocks",
                  "opaque_block", "too_many_copies"},
  };
  return primitive;
}

}  // namespace tw::primitive_unroll
