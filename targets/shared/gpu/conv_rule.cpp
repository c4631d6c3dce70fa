#include "targets/shared/gpu/conv_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/conv_tiles.h"
#include "targets/shared/gpu/convolution.h"
#include "targets/shared/gpu/implicit_product.h"
#include "targets/shared/gpu/steps.h"
#include "targets/shared/gpu/sum_parts.h"

namespace tw::gpu {
namespace {

using namespace ir;

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

/// Threads read weights along the picture and write them by channels: rows apart by a vector keep
/// these in different banks, and vectors of channels at multiples of their size.
std::string bring_weights(Steps const& steps, Convolution const& conv, std::string const& c) {
  std::string layout = weight_layout(conv);
  auto const& store = find_block(steps.schedule().program(), c)->block->body.to<ir::Store>();
  if (size_of(store.buffer->type) == 4)
    return fmt::format("copy_apart({0}, {0}.k0, tensor={1}, layout={2}, dim={3}, apart=4)", c,
                       conv.weights, layout, layout.size() - 2);
  return fmt::format("pack_panels({0}, {0}.k0, tensor={1}, layout={2}, memory=shared)", c,
                     conv.weights, layout);
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
             bring_weights(steps, conv, c),
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

std::optional<Schedule> direct_schedule(Program const& program,
                                        std::shared_ptr<Target const> target,
                                        Convolution const& conv, Decisions& decisions,
                                        Judge const& judge) {
  ConvTiles preset = preset_tiles(conv, program, target, judge);
  ConvTiles tiles = asked_conv_tiles(conv.block, preset, conv.shape, *target, decisions);
  if (decisions.rejection()) tiles = preset;  // any schedule does
  if (auto made = schedule_of(program, target, conv, tiles, decisions.budget())) return made;
  // Rests in every dimension can be too much for a proof.
  return schedule_of(program, target, conv, usual_conv_tiles(conv.shape, *target),
                     decisions.budget());
}

/// As a product whose factors are made tile by tile.
std::optional<Schedule> product_schedule_of(Program const& program,
                                            std::shared_ptr<Target const> target,
                                            Convolution const& conv, Decisions& decisions,
                                            Judge const& judge) {
  Steps steps(Schedule(program, std::move(target)), decisions.budget());
  auto product = as_product(steps, conv, TermOrder::kChannelsFirst);
  return product ? tiled_product(steps.schedule(), *product, decisions, judge) : std::nullopt;
}

}  // namespace

std::optional<Schedule> conv_schedule(Program const& program, std::shared_ptr<Target const> target,
                                      Decisions& decisions, Judge const& judge) {
  auto conv = convolution_of(program);
  if (!conv || target->threads_per_block < kLeastPlaces) return std::nullopt;
  constexpr auto kForms = std::array{direct_schedule, product_schedule_of};
  auto fastest = judge.fastest("convolution, direct or as a product", program, kForms.size(),
                               [&](size_t form) {
                                 Decisions unasked({}, {}, 0, ProofBudget::kTrusted);
                                 return kForms[form](program, target, *conv, unasked, judge);
                               });
  bool form = decisions.choose(conv->block + ".as_product", fastest.value_or(0) == 1);
  Decisions asked = decisions;
  if (auto made = kForms[size_t(form)](program, target, *conv, asked, judge)) {
    decisions = std::move(asked);
    return made;
  }
  return direct_schedule(program, target, *conv, decisions, judge);
}

}  // namespace tw::gpu
