#include "targets/vta/compiler/rules/result_tiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/stmt.h"
#include "targets/vta/compiler/rules/tiles.h"

namespace tw::vta {

std::optional<ResultTiles> ResultTiles::create(Steps const& steps, std::string const& result,
                                               Configuration const& configuration) {
  ir::BlockSite site = steps.site(result);
  auto const* store = site.block->body.as<ir::Store>();
  size_t lanes = configuration.batch() > 1 ? 2 : 1;
  if (!store || store->buffer->type != DType::kI8) return {};
  ResultTiles tiles;
  tiles.result_ = result;
  tiles.depth_ = configuration.depth(Memory::kAcc);
  for (ir::For const* loop : site.loops)
    tiles.loops_.emplace_back(loop->name(), ir::as_int(loop->extent).value_or(1));
  if (tiles.loops_.size() <= lanes) return {};
  tiles.lanes_.assign(tiles.loops_.end() - int64_t(lanes), tiles.loops_.end());
  tiles.loops_.resize(tiles.loops_.size() - lanes);
  return tiles;
}

std::vector<int64_t> ResultTiles::choose(Decisions& decisions, Elements const& elements) const {
  std::vector<int64_t> tile(loops_.size(), 1);
  for (size_t i = loops_.size(); i-- > 0;) {
    auto const& [loop, extent] = loops_[i];
    std::vector<int64_t> divisors = divisors_of(extent);
    int64_t preset = 1;
    for (int64_t one : divisors) {
      tile[i] = one;
      if (2 * elements(tile) <= depth_) preset = one;
    }
    tile[i] = decisions.choose(result_ + "." + loop + ".tile", divisors, preset);
  }
  return tile;
}

std::string ResultTiles::cut(Steps& steps, Decisions& decisions, Elements const& elements) {
  std::vector<int64_t> const tiles = choose(decisions, elements);
  std::string shared;
  for (size_t i = loops_.size(); i-- > 0;) {
    auto const& [loop, extent] = loops_[i];
    std::string name = result_ + "." + loop;
    int64_t tile = tiles[i];
    bool whole = tile == extent && extent > 1;
    if (tile > 1 && !whole) {
      steps.take(fmt::format("{0}.0, {0}.1 = split({0}, factor={1})", name, tile));
      inner_.insert(inner_.begin(), name + ".1");
      outer_.insert(outer_.begin(), name + ".0");
    } else {
      (whole ? inner_ : outer_).insert((whole ? inner_ : outer_).begin(), name);
    }
    if (tile < extent && extent / tile % 2 == 0) {
      shared = outer_.front();
      count_ = extent / tile;
    }
  }
  std::string thread;
  if (!shared.empty() && decisions.choose(result_ + ".threads", true))
    thread = take_turns(steps, shared);
  if (elements(tiles) * (thread.empty() ? 1 : 2) > depth_)
    decisions.reject("memory", "the tiles have no room in the accelerator's memories");
  std::vector<std::string> order = outer_;
  order.insert(order.end(), inner_.begin(), inner_.end());
  for (Loop const& lane : lanes_) order.push_back(result_ + "." + lane.first);
  steps.take(fmt::format("reorder({})", fmt::join(order, ", ")));
  if (!thread.empty()) steps.take(fmt::format("bind({}, axis=vthread)", thread));
  return outer_.empty() ? std::string() : outer_.back();
}

std::string ResultTiles::take_turns(Steps& steps, std::string const& loop) {
  std::string thread = result_ + ".t", rest = result_ + ".o";
  steps.take(fmt::format("{}, {} = split({}, factor={})", thread, rest, loop, count_ / 2));
  *std::ranges::find(outer_, loop) = rest;
  outer_.insert(outer_.begin(), thread);
  return thread;
}

}  // namespace tw::vta
