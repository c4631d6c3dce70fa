// Rows of a tile that a block shares get one element more than a multiple of eight, or of all
// banks: threads that go down a column then find each row in another bank.
#include <fmt/format.h>

#include <algorithm>

#include "engine/moves/launch.h"
#include "engine/target/target.h"

namespace tw::moves::idea_bank_padding {
namespace {

/// Null: the block makes no tile that a block shares, or one of a single dimension.
ir::BufferNode const* shared_tile(Scene const& scene, BlockNest const& nest) {
  for (analysis::TensorAccess const& access : nest.accesses) {
    if (!access.writes || access.indices.size() < 2) continue;
    MemoryScope const* scope = scene.schedule.target().scope(access.buffer->scope);
    if (scope && scope->shared_by == Level::kBlock && access.buffer->alignments.empty())
      return access.buffer.get();
  }
  return nullptr;
}

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& nest : scene.nests) {
    ir::BufferNode const* tile = shared_tile(scene, nest);
    if (!tile) continue;
    for (int64_t factor : {8, 32}) {
      Draft draft(scene.schedule);
      draft.step(
          "storage_align", {nest.block},
          {{"dim", int64_t(tile->shape.size()) - 2}, {"factor", factor}, {"offset", int64_t(1)}});
      offering(
          {std::move(draft), tile->name,
           fmt::format("rows of {} one element longer than a multiple of {}", tile->name, factor),
           tile->name});
    }
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "bank_padding", .machines = Machines::kBlocks, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_bank_padding
