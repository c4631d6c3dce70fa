#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/pipelining.h"
#include "engine/schedule/legality/sliding_window.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"

namespace tw::primitive_double_buffer {
namespace {

using namespace ir;

constexpr char kVerb[] = "double_buffer";
constexpr char kCondition[] =
    "double_buffer: the block's tensor must be allocated in a serial loop, beside what reads it";

/// The loop whose every iteration has the tensor for itself.
std::optional<LoopSite> loop_of(StepRequest const& request, std::string const& tensor) {
  std::optional<LoopSite> found;
  for (LoopSite const& site : loops_of(request.program.body))
    for (Buffer const& one : parts_of(*site.loop).tensors)
      if (one->name == tensor) found = site;
  return found;
}

/// The statements that make the tensor, and what those need of the same iteration.
std::vector<int64_t> stages_of(For const& loop, std::string const& tensor) {
  LoopParts parts = parts_of(loop);
  std::vector<int64_t> stages(parts.statements.size(), 1);
  std::set<std::string> needed{tensor};
  for (size_t i = stages.size(); i-- > 0;) {
    walk_writes(parts.statements[i], [&](Touched const& at) {
      if (needed.contains(at.buffer->name)) stages[i] = 0;
    });
    if (stages[i] == 0)
      walk_reads(parts.statements[i], [&](Touched const& at) { needed.insert(at.buffer->name); });
  }
  return stages;
}

std::optional<Pipelining> asked(StepRequest const& request) {
  Buffer tensor = written_buffer(request.blocks[0]);
  auto loop = tensor ? loop_of(request, tensor->name) : std::nullopt;
  if (!loop) return std::nullopt;
  return Pipelining{*loop, stages_of(*loop->loop, tensor->name), {}};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto pipelining = asked(request);
  if (!pipelining)
    return refuse_stage("not_in_a_loop",
                        fmt::format("the tensor of {} is not allocated in a loop: move its "
                                    "computation into one first (compute_at)",
                                    request.blocks[0].block->name),
                        kCondition);
  auto proof = can_pipeline(request, *pipelining, kVerb);
  Buffer tensor = written_buffer(request.blocks[0]);
  auto turns = folded_dim_of(request.program, request.target, pipelining->loop, *tensor, 2, kVerb,
                             request.budget);
  if (proof && !turns && turns.error().code == "same_elements")
    return std::unexpected(turns.error());
  return proof;
}

Applied apply(StepRequest const& request) {
  auto pipelining = asked(request);
  return pipelining ? pipelined(request, *pipelining) : Applied{request.program, {}, {}};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "double_buffer",
      .key = "J",
      .title = "Double-buffer a tensor",
      .doc =
          "Double-buffers a tensor that is computed in a loop: each iteration fills the buffer of "
          "the next iteration while the other one is read. The first part is filled before the "
          "loop. For several tensors of one loop: software_pipeline.",
      .rewrite =
          "for k: T = A(k); use(T)  -->  T[0] = A(0); for k: T[(k+1)%2] = A(k+1); "
          "use(T[k%2]); ...",
      .refused = "cannot be double-buffered",
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .beside_calls = true,
      .open_sizes = OpenSizes{},
      .refuses = {"dependence_carried", "extent_unknown", "instances_added", "instances_lost",
                  "loop_annotated", "not_finished", "not_in_a_loop", "not_only_blocks",
                  "one_statement", "opaque_block", "order_carried", "parts_overlap",
                  "reduction_carried", "same_elements", "stages_do_not_fit", "terms_twice",
                  "undecided", "uneven_elements", "writers_change_places"},
  };
  return primitive;
}

}  // namespace tw::primitive_double_buffer
