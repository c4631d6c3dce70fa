#include "targets/shared/gpu/conv_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kLeastChannels = 8, kLeastPlaces = 32, kLeastTerms = 4;
constexpr size_t kMostSteps = 25;  // of a script that one reads

/// A convolution with what stands around it.
struct Convolution {
  std::string block, before, after;  ///< empty: there is no such stage
  std::string input, weights;        ///< tensors
  size_t channel = 0;                ///< the weights' dimension of output channels
  size_t weight_rank = 0;
  StageLoops loops;
  std::vector<int64_t> places;  ///< extents of the picture: rows, columns
  int64_t channels = 0, terms = 0;
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
  return conv.channels >= kLeastChannels && conv.terms >= kLeastTerms &&
         conv.places[0] * conv.places[1] >= kLeastPlaces;
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
  conv.channels = extent(channel);
  conv.places = {extent(channel + 1), extent(channel + 2)};
  conv.terms = loops->terms;
  if (!find_factors(*sum->block, channel, conv) || !large_enough(conv) ||
      !find_stages(blocks, size_t(sum - blocks.begin()), conv))
    return std::nullopt;
  return conv;
}

struct Tiles {
  int64_t channels = 8, rows = 8, columns = 32, terms = 4;
  int64_t threads() const { return rows * columns; }
};

/// As long as `most`, but parts of equal lengths where that wastes less.
int64_t part(int64_t extent, int64_t most) {
  int64_t parts = (extent + most - 1) / most;
  return (extent + parts - 1) / parts;
}

Tiles tiles_for(Convolution const& conv, int64_t input_channels, Target const& target,
                Decisions& decisions) {
  int64_t most = std::min<int64_t>(target.threads_per_block, 256);
  Tiles tiles;
  tiles.channels =
      choose_up_to(decisions, conv.block + ".channels", up_to({2, 4, 8, 16}, conv.channels), 8);
  tiles.columns = decisions.choose(conv.block + ".columns", up_to({8, 16, 32}, conv.places[1]),
                                   part(conv.places[1], std::min<int64_t>(most, 32)));
  int64_t rows = std::max<int64_t>(1, most / tiles.columns);
  tiles.rows = decisions.choose(conv.block + ".rows", up_to({1, 2, 4, 8, 16}, conv.places[0]),
                                part(conv.places[0], rows));
  int64_t window = conv.terms / input_channels;
  tiles.terms = choose_up_to(decisions, conv.block + ".terms", up_to({1, 2, 4, 8}, input_channels),
                             window == 1   ? 8
                             : window <= 9 ? 4
                                           : 1);
  if (tiles.threads() > target.threads_per_block)
    decisions.reject("threads", "a block of these tiles would have more threads than there may be");
  return tiles;
}

/// All threads of the block bring a tile together.
bool fill(Steps& steps, std::string const& block, std::string const& prefix, int64_t threads) {
  std::string all = steps.fuse_all(block, steps.loops_below(block, "k0"), prefix);
  if (all.empty()) return false;
  auto loop = find_loop(steps.schedule().program(), all);
  if (loop && as_int(loop->loop->extent).value_or(0) > threads) {
    if (!steps.take(fmt::format("{0}n, {0}t = split({1}, factor={2})", prefix, all, threads)))
      return false;
    all = fmt::format("{}.{}t", block, prefix);
  }
  return steps.take(fmt::format("bind({}, axis=threadIdx.x)", all));
}

/// Output channels last: those of a thread lie side by side. "BCDA".
std::string weight_layout(Convolution const& conv) {
  std::string layout;
  for (size_t d = 0; d < conv.weight_rank; ++d)
    if (d != conv.channel) layout += char('A' + d);
  return layout + char('A' + conv.channel);
}

/// Blocks and threads, and what a thread does in which order.
bool tile_loops(Steps& steps, Convolution const& conv, Tiles const& tiles) {
  std::string const& c = conv.block;
  size_t channel = conv.loops.spatial.size() - 3;
  auto named = [&](std::string const& loop) { return c + "." + loop; };
  std::string inner = named("k1");
  for (size_t i = 1; i < conv.loops.reduce.size(); ++i) inner += ", " + named(conv.loops.reduce[i]);
  return steps.take_all({
      conv.after.empty() ? fmt::format("cache_write({}, scope=local)", c)
                         : fmt::format("set_scope({}, scope=local)", c),
      fmt::format("bo, ro = split({}, factor={})", named(conv.loops.spatial[channel]),
                  tiles.channels),
      fmt::format("by, bx, ty, tx = tile({}, {}, outer_factor={}, inner_factor={})",
                  named(conv.loops.spatial[channel + 1]), named(conv.loops.spatial[channel + 2]),
                  tiles.rows, tiles.columns),
      fmt::format("k0, k1 = split({}, factor={})", named(conv.loops.reduce[0]), tiles.terms),
      fmt::format("reorder({0}.bo, {0}.by, {0}.bx, {0}.ty, {0}.tx, {0}.k0, {1}, {0}.ro)", c, inner),
      fmt::format("bs = fuse({0}.by, {0}.bx)", c),
      fmt::format("ts = fuse({0}.ty, {0}.tx)", c),
      fmt::format("reverse_compute_at({}, {}.ts)", conv.after.empty() ? c + "_write" : conv.after,
                  c),
  });
}

bool schedule_conv(Steps& steps, Convolution const& conv, Tiles const& tiles) {
  std::string const& c = conv.block;
  if (!tile_loops(steps, conv, tiles)) return false;
  if (conv.loops.spatial.size() == 4 &&
      !steps.take(fmt::format("bind({}.{}, axis=blockIdx.z)", c, conv.loops.spatial[0])))
    return false;
  std::string input = conv.before.empty() ? conv.input + "_cache" : conv.before;
  return steps.take_all({
             fmt::format("bind({}.bo, axis=blockIdx.y)", c),
             fmt::format("bind({}.bs, axis=blockIdx.x)", c),
             fmt::format("bind({}.ts, axis=threadIdx.x)", c),
             conv.before.empty()
                 ? fmt::format("cache_read({}, tensor={}, scope=shared)", c, conv.input)
                 : fmt::format("set_scope({}, scope=shared)", input),
             fmt::format("compute_at({}, {}.k0)", input, c),
             fmt::format("cache_read({}, tensor={}, scope=shared, layout={})", c, conv.weights,
                         weight_layout(conv)),
             fmt::format("compute_at({}_cache, {}.k0)", conv.weights, c),
         }) &&
         fill(steps, input, "p", tiles.threads()) &&
         fill(steps, conv.weights + "_cache", "q", tiles.threads());
}

}  // namespace

std::optional<Schedule> conv_schedule(Program const& program, std::shared_ptr<Target const> target,
                                      Decisions& decisions) {
  auto conv = convolution_of(program);
  if (!conv || target->threads_per_block < kLeastPlaces) return std::nullopt;
  auto first = find_loop(program, conv->block + "." + conv->loops.reduce[0]);
  if (!first) return std::nullopt;
  Tiles tiles = tiles_for(*conv, *as_int(first->loop->extent), *target, decisions);
  Steps steps(Schedule(program, std::move(target)));
  if (!schedule_conv(steps, *conv, tiles) || steps.schedule().trace().size() > kMostSteps)
    return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
