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

/// What a block and a thread make. A thread has one place of all channels, or several rows of a
/// column: then those are the block's rows.
struct Tiles {
  int64_t channels = 8, own_rows = 1;         ///< of a thread
  int64_t rows = 8, columns = 32, terms = 4;  ///< of a block
  int64_t threads() const { return own_rows > 1 ? columns : rows * columns; }
};

/// What a thread makes with the block's threads, to judge: more sums for each thread share more
/// loads, fewer make more threads, which small pictures need.
struct Candidate {
  int64_t channels, own_rows, threads;
};
constexpr Candidate kCandidates[] = {{8, 1, 256}, {4, 1, 256},  {2, 1, 256},
                                     {8, 1, 128}, {16, 1, 256}, {8, 2, 64},
                                     {16, 2, 64}, {8, 4, 64},   {16, 4, 64}};

/// As long as `most`, but parts of equal lengths where that wastes less.
int64_t part(int64_t extent, int64_t most) {
  int64_t parts = (extent + most - 1) / most;
  return (extent + parts - 1) / parts;
}

/// A sum's window of one place needs more channels at once than one of many.
int64_t terms_for(Convolution const& conv, int64_t input_channels) {
  int64_t window = conv.terms / input_channels;
  int64_t wanted = window == 1 ? 8 : window <= 9 ? 4 : 1;
  return up_to({1, 2, 4, 8}, std::min(wanted, input_channels)).back();
}

Tiles tiles_of(Candidate const& candidate, Convolution const& conv, int64_t input_channels) {
  Tiles tiles{.channels = up_to({2, 4, 8, 16}, std::min(candidate.channels, conv.channels)).back(),
              .own_rows = candidate.own_rows};
  bool several = candidate.own_rows > 1;
  tiles.columns = part(conv.places[1], std::min<int64_t>(candidate.threads, several ? 64 : 32));
  int64_t rows = std::max<int64_t>(1, candidate.threads / tiles.columns);
  tiles.rows = several ? candidate.own_rows : part(conv.places[0], rows);
  tiles.terms = terms_for(conv, input_channels);
  return tiles;
}

Tiles asked_tiles(Convolution const& conv, Tiles const& preset, int64_t input_channels,
                  Target const& target, Decisions& decisions) {
  auto ask = [&](char const* name, std::vector<int64_t> const& values, int64_t by_rule) {
    return decisions.choose(conv.block + name, values, by_rule);
  };
  Tiles tiles;
  tiles.channels = ask(".channels", up_to({2, 4, 8, 16}, conv.channels), preset.channels);
  tiles.own_rows = ask(".own_rows", up_to({1, 2, 4}, conv.places[0]), preset.own_rows);
  tiles.columns = ask(".columns", up_to({8, 16, 32, 64}, conv.places[1]), preset.columns);
  tiles.rows = tiles.own_rows > 1
                   ? tiles.own_rows
                   : ask(".rows", up_to({1, 2, 4, 8, 16}, conv.places[0]), preset.rows);
  tiles.terms = ask(".terms", up_to({1, 2, 4, 8}, input_channels), preset.terms);
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
  bool several = tiles.own_rows > 1;
  std::string made = several ? "yo" : "ty";
  bool tiled = steps.take_all({
      conv.after.empty() ? fmt::format("cache_write({}, scope=local)", c)
                         : fmt::format("set_scope({}, scope=local)", c),
      fmt::format("bo, ro = split({}, factor={})", named(conv.loops.spatial[channel]),
                  tiles.channels),
      fmt::format("by, bx, {}, tx = tile({}, {}, outer_factor={}, inner_factor={})", made,
                  named(conv.loops.spatial[channel + 1]), named(conv.loops.spatial[channel + 2]),
                  tiles.rows, tiles.columns),
      fmt::format("k0, k1 = split({}, factor={})", named(conv.loops.reduce[0]), tiles.terms),
      several ? fmt::format("reorder({0}.bo, {0}.by, {0}.bx, {0}.tx, {0}.k0, {1}, {0}.ro, {0}.yo)",
                            c, inner)
              : fmt::format("reorder({0}.bo, {0}.by, {0}.bx, {0}.ty, {0}.tx, {0}.k0, {1}, {0}.ro)",
                            c, inner),
      fmt::format("bs = fuse({0}.by, {0}.bx)", c),
  });
  if (!several) tiled = tiled && steps.take(fmt::format("tx = fuse({0}.ty, {0}.tx)", c));
  return tiled && steps.take(fmt::format("reverse_compute_at({}, {}.tx)",
                                         conv.after.empty() ? c + "_write" : conv.after, c));
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
             fmt::format("bind({}.tx, axis=threadIdx.x)", c),
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

std::optional<Schedule> schedule_of(Program const& program, std::shared_ptr<Target const> target,
                                    Convolution const& conv, Tiles const& tiles) {
  Steps steps(Schedule(program, std::move(target)));
  if (!schedule_conv(steps, conv, tiles) || steps.schedule().trace().size() > kMostSteps)
    return std::nullopt;
  return steps.schedule();
}

/// The fastest by the device's model, else the first that the block's threads allow.
Tiles preset_tiles(Convolution const& conv, int64_t input_channels, Program const& program,
                   std::shared_ptr<Target const> const& target, Judge const& judge) {
  auto fastest = judge.fastest("convolution", program, std::size(kCandidates),
                               [&](size_t i) -> std::optional<Schedule> {
                                 Tiles tiles = tiles_of(kCandidates[i], conv, input_channels);
                                 if (tiles.threads() > target->threads_per_block)
                                   return std::nullopt;
                                 return schedule_of(program, target, conv, tiles);
                               });
  if (fastest) return tiles_of(kCandidates[*fastest], conv, input_channels);
  return tiles_of({8, 1, std::min<int64_t>(target->threads_per_block, 256)}, conv, input_channels);
}

}  // namespace

std::optional<Schedule> conv_schedule(Program const& program, std::shared_ptr<Target const> target,
                                      Decisions& decisions, Judge const& judge) {
  auto conv = convolution_of(program);
  if (!conv || target->threads_per_block < kLeastPlaces) return std::nullopt;
  auto first = find_loop(program, conv->block + "." + conv->loops.reduce[0]);
  if (!first) return std::nullopt;
  int64_t input_channels = *as_int(first->loop->extent);
  Tiles preset = preset_tiles(*conv, input_channels, program, target, judge);
  Tiles tiles = asked_tiles(*conv, preset, input_channels, *target, decisions);
  return schedule_of(program, std::move(target), *conv, tiles);
}

}  // namespace tw::gpu
