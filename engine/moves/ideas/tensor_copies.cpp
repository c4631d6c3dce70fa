// What a part of a nest reads of a tensor, or sums up of it, in a copy that fits a cache and has no
// gaps: used often while it is near.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/moves/idea.h"
#include "engine/moves/working_set.h"
#include "engine/schedule/names.h"
#include "engine/support/base/quantities.h"

namespace tw::moves::idea_tensor_copies {
namespace {

using Places = std::set<size_t>;

/// One for each cache, where they differ.
Places places_of(Scene const& scene, BlockNest const& nest, std::string const& tensor) {
  Places places;
  for (MemoryLevel const& cache : scene.hardware.caches())
    if (cache.bytes > 0)
      if (auto at = place_for_copy(nest, tensor, cache, scene.hardware.line_bytes()))
        places.insert(*at);
  return places;
}

/// The copy in vectors, where those can be loaded and stored as they are.
void vectorize_copy(Scene const& scene, Draft& draft, std::string const& block) {
  if (!draft.possible()) return;
  auto innermost = [&](Draft const& of) {
    auto nest = nest_of(of.schedule().program(), block);
    return !nest || nest->loops.empty() ? NestLoop{} : nest->loops.back();
  };
  auto nest = nest_of(draft.schedule().program(), block);
  int64_t lanes = nest ? scene.lanes(*nest) : 1;
  NestLoop last = innermost(draft);
  if (lanes < 2 || last.extent < lanes || last.kind != ir::LoopKind::kSerial) return;
  Draft vectors = draft;
  vectors.split(last.id, lanes);
  NestLoop lane = innermost(vectors);
  if (!lane.writes_neighbours || !lane.reads_neighbours) return;
  vectors.at("vectorize", lane.id);
  if (vectors.possible()) draft = std::move(vectors);
}

Draft copy_at(Scene const& scene, Step const& copy, char const* place, ir::LoopId loop) {
  Draft draft(scene.schedule);
  draft.step(copy.primitive, copy.targets, copy.arguments);
  if (!draft.possible()) return draft;
  ir::Program const& program = draft.schedule().program();
  std::string block = added_block(scene.schedule.program(), program);
  draft.step(place, {block, reference_of(program, loop)});
  vectorize_copy(scene, draft, block);
  return draft;
}

void offer_reads(Scene const& scene, BlockNest const& nest, std::string const& tensor,
                 Offering const& offering) {
  std::string layout = liked_layout(nest, tensor);
  for (size_t at : places_of(scene, nest, tensor)) {
    NestLoop const& loop = nest.loops[at];
    int64_t bytes = held(nest, tensor, at + 1, scene.hardware.line_bytes()).part.bytes;
    Step copy{"cache_read", {nest.block}, {{"tensor", tensor}}, {}};
    if (!layout.empty()) copy.arguments["layout"] = layout;
    offering({copy_at(scene, copy, "compute_at", loop.id), tensor,
              fmt::format("{} of {} copied {}in each iteration of {}", bytes_text(double(bytes)),
                          tensor, layout.empty() ? "" : "as it is used ", loop.name),
              tensor});
  }
}

/// Sums must be complete where they leave the copy.
void offer_sums(Scene const& scene, BlockNest const& nest, Offering const& offering) {
  size_t sums =
      size_t(std::ranges::find(nest.loops, true, &NestLoop::reduces) - nest.loops.begin());
  for (size_t at : places_of(scene, nest, nest.writes)) {
    if (at >= sums) continue;
    NestLoop const& loop = nest.loops[at];
    int64_t bytes = held(nest, nest.writes, at + 1, scene.hardware.line_bytes()).part.bytes;
    Step copy{"cache_write", {nest.block}, {}, {}};
    offering({copy_at(scene, copy, "reverse_compute_at", loop.id), nest.writes,
              fmt::format("{} of {} summed in a copy in each iteration of {}",
                          bytes_text(double(bytes)), nest.writes, loop.name),
              nest.writes});
  }
}

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& nest : scene.nests) {
    for (std::string const& tensor : nest.reads) offer_reads(scene, nest, tensor, offering);
    if (nest.sums) offer_sums(scene, nest, offering);
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "tensor_copies", .machines = Machines::kVectors, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_tensor_copies
