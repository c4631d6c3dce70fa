// A tensor between two blocks is made where it is used, so that it is still near; or not at all.
#include <fmt/format.h>

#include "engine/moves/idea.h"

namespace tw::moves::idea_place {
namespace {

void offer_at(Scene const& scene, char const* primitive, BlockNest const& moved,
              BlockNest const& where, std::string const& tensor, Offering const& offering) {
  for (NestLoop const& loop : where.loops) {
    if (loop.reduces || loop.kind == ir::LoopKind::kVector || loop.kind == ir::LoopKind::kUnroll)
      break;
    Draft draft(scene.schedule);
    draft.step(primitive, {moved.block, loop.name});
    offering({std::move(draft), moved.block,
              fmt::format("{} in each iteration of {}", moved.block, loop.name), tensor});
  }
}

void offer_alone(Scene const& scene, char const* primitive, BlockNest const& gone,
                 BlockNest const& into, std::string const& tensor, Offering const& offering) {
  Draft draft(scene.schedule);
  draft.step(primitive, {gone.block});
  offering({std::move(draft), gone.block,
            fmt::format("{} as part of {}: its tensor is gone", gone.block, into.block), tensor});
}

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& reader : scene.nests)
    for (std::string const& tensor : reader.reads) {
      BlockNest const* writer = scene.writer_of(tensor);
      if (!writer || writer->block == reader.block) continue;
      offer_at(scene, "compute_at", *writer, reader, tensor, offering);
      offer_at(scene, "reverse_compute_at", reader, *writer, tensor, offering);
      offer_alone(scene, "compute_inline", *writer, reader, tensor, offering);
      offer_alone(scene, "reverse_compute_inline", reader, *writer, tensor, offering);
    }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "place", .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_place
