#include "targets/shared/gpu/attention_stages.h"

#include <algorithm>

#include "engine/ir/stmt.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr int64_t kLeastThreads = 16;  // along a row
constexpr int64_t kLeastRows = 4;      // of keys, for each column

/// The stage behind the scores that is no maximum of them.
bool is_mask(std::vector<BlockSite> const& blocks) {
  auto const* scores = blocks[0].block->body.as<Store>();
  auto loops = stage_loops(blocks[1]);
  return scores && loops && loops->reduce.empty() &&
         reads_where_it_writes(*blocks[1].block, scores->buffer->name);
}

}  // namespace

std::optional<Attention> attention_of(Program const& program) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  Attention found;
  if (blocks.size() == Attention::kStages + 1 && is_mask(blocks)) {
    found.mask = blocks[1].block->name;
    blocks.erase(blocks.begin() + 1);
  }
  if (blocks.size() != Attention::kStages) return std::nullopt;
  for (size_t i = 0; i < Attention::kStages; ++i) {
    auto loops = stage_loops(blocks[i]);
    bool sums = i != Attention::kPowers;
    bool per_row = i == Attention::kGreatest || i == Attention::kSums;
    if (!loops || bool(blocks[i].block->init) != sums || loops->reduce.size() != size_t(sums))
      return std::nullopt;
    found.blocks[i] = blocks[i].block->name;
    found.loops[i] = std::move(*loops);
    size_t rank = found.loops[Attention::kScores].spatial.size();
    if (rank < 2 || found.loops[i].spatial.size() + size_t(per_row) != rank) return std::nullopt;
  }
  auto extent = [&](size_t stage, size_t from_last) {
    std::vector<For const*> const& all = blocks[stage].loops;
    size_t last = found.loops[stage].spatial.size() - 1;
    return *as_int(all[last - from_last]->extent);
  };
  found.rows = extent(Attention::kResult, 1);
  found.columns = extent(Attention::kResult, 0);
  found.keys = extent(Attention::kScores, 0);
  found.depth = found.loops[Attention::kScores].terms;
  if (found.columns < kLeastThreads || found.keys < kLeastRows * found.columns) return std::nullopt;
  return found;
}

}  // namespace tw::gpu
