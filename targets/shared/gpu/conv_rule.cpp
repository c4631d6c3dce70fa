#include "targets/shared/gpu/conv_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/conv_tiles.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"
#include "targets/shared/gpu/sum_parts.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kLeastChannels = 8, kLeastPlaces = 32, kLeastTerms = 4;

/// A convolution with what stands around it.
struct Convolution {
  std::string block, before, after;  ///< empty: there is no such stage
  std::string input, weights;        ///< tensors
  size_t channel = 0;                ///< the weights' dimension of output channels
  size_t weight_rank = 0;
  StageLoops loops;
  ConvShape shape;
};

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

/// All threads of the block bring a tile together.
bool fill(Steps& steps, std::string const& block, std::string const& prefix, int64_t threads) {
  std::string all = steps.fuse_all(block, steps.loops_below(block, "k0"), prefix);
  if (all.empty()) return false;
  auto loop = find_loop(steps.schedule().program(), all);
  if (loop && as_int(loop->loop->extent).value_or(0) > threads)
    return steps.take(fmt::format("split_bind({}, factor={})", all, threads));
  return steps.take(fmt::format("bind({}, axis=threadIdx.x)", all));
}

/// Output channels last: those of a thread lie side by side. "BCDA".
std::string weight_layout(Convolution const& conv) {
  std::string layout;
  for (size_t d = 0; d < conv.weight_rank; ++d)
    if (d != conv.channel) layout += char('A' + d);
  return layout + char('A' + conv.channel);
}

/// The block of a convolution's sums while its schedule is made: those of all terms, or of parts.
struct Sums {
  std::string block, terms;  ///< the loop of input channels
  std::string last;          ///< the stage that writes what a thread has in registers
  bool parts = false;
};

/// Sums in registers, in parts or whole; no block: a step is refused.
Sums sums_of(Steps& steps, Convolution const& conv, ConvTiles const& tiles) {
  Sums sums{conv.block, conv.loops.reduce[0], conv.after, tiles.parts > 1};
  if (sums.parts)
    sums = {make_parts(steps, conv.block, conv.loops.reduce[0], tiles.parts), "k", "", true};
  bool writes = sums.last.empty();
  if (sums.block.empty() ||
      !steps.take(
          fmt::format("{}({}, scope=local)", writes ? "cache_write" : "set_scope", sums.block)))
    return {};
  if (writes) sums.last = sums.block + "_write";
  return sums;
}

/// Blocks and threads, and what a thread does in which order.
bool tile_loops(Steps& steps, Convolution const& conv, Sums const& sums, ConvTiles const& tiles) {
  std::string const& c = sums.block;
  std::vector<std::string> const& places = conv.loops.spatial;
  bool batched = places.size() == 4;
  auto named = [&](std::vector<std::string> loops) {
    for (std::string& loop : loops) loop = c + "." + loop;
    return loops;
  };
  std::vector<std::string> blocks =
      batched ? std::vector<std::string>{"bn", "by", "bx"} : std::vector<std::string>{"by", "bx"};
  std::vector<std::string> threads = batched ? std::vector<std::string>{"to", "tn", "ty", "tx"}
                                             : std::vector<std::string>{"to", "ty", "tx"};
  std::vector<std::string> own{"k0", "k1"};
  if (sums.parts) blocks.insert(blocks.begin(), "part");
  own.insert(own.end(), conv.loops.reduce.begin() + 1, conv.loops.reduce.end());
  own.insert(own.end(), {"ro", "yo"});
  std::vector<std::string> order{"bo"};
  for (auto const* some : {&blocks, &threads, &own})
    order.insert(order.end(), some->begin(), some->end());
  std::string y = c + "." + places[places.size() - 2], x = c + "." + places.back();
  return steps.take_all({
      fmt::format("bo, by, o1, y1 = tile({}.{}, {}, outer_factor={}, inner_factor={})", c,
                  places[places.size() - 3], y, tiles.channel_threads * tiles.channels,
                  tiles.rows()),
      fmt::format("to, ty, ro, yo = tile({0}.o1, {0}.y1, outer_factor={1}, inner_factor={2})", c,
                  tiles.channels, tiles.own_rows),
      batched ? fmt::format("bn, bx, tn, tx = tile({}.{}, {}, outer_factor={}, inner_factor={})", c,
                            places[0], x, tiles.pictures, tiles.columns)
              : fmt::format("bx, tx = split({}, factor={})", x, tiles.columns),
      fmt::format("k0, k1 = split({}.{}, factor={})", c, sums.terms, tiles.terms),
      fmt::format("reorder({})", fmt::join(named(order), ", ")),
      fmt::format("bs = fuse({})", fmt::join(named(blocks), ", ")),
      fmt::format("t = fuse({})", fmt::join(named(threads), ", ")),
      fmt::format("reverse_compute_at({}, {}.t)", sums.last, c),
      fmt::format("bind({}.bo, axis=blockIdx.y)", c),
      fmt::format("bind({}.bs, axis=blockIdx.x)", c),
      fmt::format("bind({}.t, axis=threadIdx.x)", c),
  });
}

bool schedule_conv(Steps& steps, Convolution const& conv, ConvTiles const& tiles) {
  Sums sums = sums_of(steps, conv, tiles);
  if (sums.block.empty() || !tile_loops(steps, conv, sums, tiles)) return false;
  std::string const& c = sums.block;
  std::string input = conv.before.empty() ? conv.input + "_cache" : conv.before;
  return steps.take_all({
             conv.before.empty()
                 ? fmt::format("pack_panels({0}, {0}.k0, tensor={1}, memory=shared)", c, conv.input)
                 : fmt::format("stage_at({}, {}.k0)", input, c),
             fmt::format("pack_panels({0}, {0}.k0, tensor={1}, layout={2}, memory=shared)", c,
                         conv.weights, weight_layout(conv)),
         }) &&
         fill(steps, input, "p", tiles.threads()) &&
         fill(steps, conv.weights + "_cache", "q", tiles.threads()) &&
         (!sums.parts || add_parts(steps, conv.block, conv.loops.spatial, conv.after));
}

std::optional<Schedule> schedule_of(Program const& program, std::shared_ptr<Target const> target,
                                    Convolution const& conv, ConvTiles const& tiles,
                                    ProofBudget budget) {
  Steps steps(Schedule(program, std::move(target)), budget);
  if (!schedule_conv(steps, conv, tiles)) return std::nullopt;
  return steps.schedule();
}

/// The fastest by the device's model, first of different forms, then of those like it.
ConvTiles preset_tiles(Convolution const& conv, Program const& program,
                       std::shared_ptr<Target const> const& target, Judge const& judge) {
  auto fastest = [&](char const* round, std::vector<ConvTiles> const& all) {
    auto best = judge.fastest(round, program, all.size(), [&](size_t i) {
      // Without proofs: the one that is taken is proven.
      return schedule_of(program, target, conv, all[i], ProofBudget::kTrusted);
    });
    return best ? std::optional(all[*best]) : std::nullopt;
  };
  auto best = fastest("convolution", conv_candidates(conv.shape, *target));
  if (!best) return usual_conv_tiles(conv.shape, *target);
  std::vector<ConvTiles> near = conv_neighbours(*best, conv.shape, *target);
  near.insert(near.begin(), *best);
  ConvTiles better = fastest("convolution, neighbours", near).value_or(*best);
  auto further = conv_further(*best, better, conv.shape, *target);
  if (!further) return better;
  return fastest("convolution, further", {better, *further}).value_or(better);
}

}  // namespace

std::optional<Schedule> conv_schedule(Program const& program, std::shared_ptr<Target const> target,
                                      Decisions& decisions, Judge const& judge) {
  auto conv = convolution_of(program);
  if (!conv || target->threads_per_block < kLeastPlaces) return std::nullopt;
  ConvTiles preset = preset_tiles(*conv, program, target, judge);
  ConvTiles tiles = asked_conv_tiles(conv->block, preset, conv->shape, *target, decisions);
  if (decisions.rejection()) tiles = preset;  // any schedule does
  if (auto made = schedule_of(program, target, *conv, tiles, decisions.budget())) return made;
  // Rests in every dimension can be too much for a proof.
  return schedule_of(program, target, *conv, usual_conv_tiles(conv->shape, *target),
                     decisions.budget());
}

}  // namespace tw::gpu
