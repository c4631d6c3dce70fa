#include "targets/shared/gpu/convolution.h"

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr int64_t kLeastChannels = 8, kLeastTerms = 4;

bool uses(std::vector<Expr> const& indices, IterVar const& iter) {
  return std::ranges::any_of(indices, [&](Expr const& e) { return uses_variable(e, iter.name()); });
}

/// The weights have the channel and no place, the input has the places and not the channel; both
/// have the terms.
bool are_factors(Block const& block, size_t channel, Load const& input, Load const& weights) {
  auto both = [&](IterVar const& iter) {
    return std::pair{uses(input.indices, iter), uses(weights.indices, iter)};
  };
  for (size_t i = 0; i < block.iters.size(); ++i) {
    bool sums = block.iters[i].kind == IterKind::kReduce;
    if (both(block.iters[i]) !=
        (sums ? std::pair{true, true} : std::pair{i != channel, i == channel}))
      return false;
  }
  return std::ranges::all_of(weights.indices,
                             [](Expr const& e) { return e.as<Variable>() != nullptr; });
}

bool find_factors(Block const& block, size_t channel, Convolution& conv) {
  std::vector<Load const*> reads = multiplied_reads(block);
  if (reads.size() != 2) return false;
  if (!are_factors(block, channel, *reads[0], *reads[1])) std::swap(reads[0], reads[1]);
  if (!are_factors(block, channel, *reads[0], *reads[1])) return false;
  conv.input = reads[0]->buffer->name;
  conv.weights = reads[1]->buffer->name;
  conv.weight_rank = reads[1]->indices.size();
  while (!uses_variable(reads[1]->indices[conv.channel], block.iters[channel].name()))
    ++conv.channel;
  return conv.input != conv.weights;
}

bool large_enough(Convolution const& conv) {
  ConvShape const& shape = conv.shape;
  return shape.channels >= kLeastChannels && conv.loops.terms >= kLeastTerms &&
         shape.rows * shape.columns >= kLeastPlaces;
}

/// Stages around the one sum.
bool find_stages(std::vector<BlockSite> const& blocks, size_t at, Convolution& conv) {
  auto const* made = blocks[at].block->body.as<Store>();
  if (!made || at > 1 || blocks.size() > at + 2) return false;
  if (at == 1) {
    auto const* store = blocks[0].block->body.as<Store>();
    if (!store || store->buffer->name != conv.input) return false;
    conv.before = blocks[0].block->name;
  }
  if (blocks.size() == at + 1) return true;
  conv.after = blocks[at + 1].block->name;
  return reads_where_it_writes(*blocks[at + 1].block, made->buffer->name);
}

}  // namespace

std::optional<Convolution> convolution_of(Program const& program) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  auto sum =
      std::ranges::find_if(blocks, [](BlockSite const& one) { return bool(one.block->init); });
  if (sum == blocks.end()) return std::nullopt;
  auto loops = stage_loops(*sum);
  if (!loops || (loops->spatial.size() != 3 && loops->spatial.size() != 4) ||
      (loops->reduce.size() != 1 && loops->reduce.size() != 3))
    return std::nullopt;
  Convolution conv{.block = sum->block->name, .before = {}, .after = {}, .loops = *loops};
  size_t channel = loops->spatial.size() - 3;
  auto extent = [&](size_t i) { return *as_int(sum->loops[i]->extent); };
  conv.shape = {.pictures = channel > 0 ? extent(0) : 1,
                .channels = extent(channel),
                .rows = extent(channel + 1),
                .columns = extent(channel + 2),
                .input_channels = extent(channel + 3),
                .window = loops->terms / extent(channel + 3)};
  if (!find_factors(*sum->block, channel, conv) || !large_enough(conv) ||
      !find_stages(blocks, size_t(sum - blocks.begin()), conv))
    return std::nullopt;
  return conv;
}

}  // namespace tw::gpu
