#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "targets/vta/compiler/rules/rules.h"
#include "targets/vta/compiler/rules/steps.h"
#include "targets/vta/compiler/rules/tiles.h"
#include "targets/vta/compiler/stages/places.h"

namespace tw::vta {
namespace {

/// What reads tensors at the elements that it writes, or sums over none.
class ElementSchedule {
public:
  ElementSchedule(Schedule const& plain, Configuration const& configuration, Decisions& decisions)
      : configuration_(configuration), decisions_(decisions), steps_(plain, decisions.effort()) {}

  std::optional<Schedule> run() {
    if (!inline_all() || !find_loops()) return {};
    for (std::string const& operand : operands_)
      blocks_.push_back(steps_.copy(result_, operand, kAccScope));
    cut();
    for (std::string const& block : blocks_)
      if (!attach_.empty()) steps_.take(fmt::format("compute_at({}, {})", block, attach_));
    return steps_.failed() ? std::nullopt : std::optional(steps_.schedule());
  }

private:
  /// One stage is left; false where the kernel has sums.
  bool inline_all() {
    std::vector<std::string> blocks;
    for (ir::BlockSite const& site : ir::blocks_of(steps_.program().body)) {
      if (site.block->init || !site.block->body.as<ir::Store>()) return false;
      blocks.push_back(site.block->name);
    }
    if (blocks.empty()) return false;
    result_ = blocks.back();
    blocks.pop_back();
    for (std::string const& block : blocks) steps_.take(fmt::format("compute_inline({})", block));
    return !steps_.failed();
  }

  bool find_loops() {
    ir::BlockSite site = steps_.site(result_);
    size_t lanes = configuration_.batch() > 1 ? 2 : 1;
    if (site.block->body.to<ir::Store>().buffer->type != DType::kI8 || site.loops.size() <= lanes)
      return false;
    for (ir::For const* loop : site.loops)
      loops_.emplace_back(loop->name(), ir::as_int(loop->extent).value_or(1));
    lanes_.assign(loops_.end() - int64_t(lanes), loops_.end());
    loops_.resize(loops_.size() - lanes);
    std::set<std::string> seen;
    ir::walk_reads(site.block->body, [&](ir::Touched const& at) {
      if (seen.insert(at.buffer->name).second) operands_.push_back(at.buffer->name);
    });
    return !operands_.empty();
  }

  /// From the innermost loop outwards as much as has room twice: two threads take turns.
  void cut() {
    int64_t room = configuration_.depth(Memory::kAcc) / (2 * int64_t(operands_.size()));
    std::vector<std::string> outer, inner;
    std::string thread;
    for (size_t i = loops_.size(); i-- > 0;) {
      auto const& [loop, extent] = loops_[i];
      std::string name = result_ + "." + loop;
      std::vector<int64_t> divisors = divisors_of(extent);
      auto fits = std::ranges::upper_bound(divisors, std::max<int64_t>(room, 1));
      int64_t tile = decisions_.choose(name + ".tile", divisors, *std::prev(fits));
      room /= std::max<int64_t>(tile, 1);
      if (tile > 1 && tile < extent) {
        steps_.take(fmt::format("{0}.0, {0}.1 = split({0}, factor={1})", name, tile));
        inner.insert(inner.begin(), name + ".1");
        outer.insert(outer.begin(), name + ".0");
      } else {
        (tile == extent && extent > 1 ? inner : outer)
            .insert(tile == extent && extent > 1 ? inner.begin() : outer.begin(), name);
      }
      if (tile < extent && extent / tile % 2 == 0) {
        thread = outer.front();
        count_ = extent / tile;
      }
    }
    if (!thread.empty() && decisions_.choose(result_ + ".threads", true)) take_turns(outer, thread);
    if (!outer.empty()) attach_ = outer.back();
    outer.insert(outer.end(), inner.begin(), inner.end());
    for (auto const& [loop, extent] : lanes_) outer.push_back(result_ + "." + loop);
    steps_.take(fmt::format("reorder({})", fmt::join(outer, ", ")));
    if (!thread_.empty()) steps_.take(fmt::format("bind({}, axis=vthread)", thread_));
  }

  void take_turns(std::vector<std::string>& outer, std::string const& loop) {
    thread_ = result_ + ".t";
    std::string rest = result_ + ".o";
    steps_.take(fmt::format("{}, {} = split({}, factor={})", thread_, rest, loop, count_ / 2));
    *std::ranges::find(outer, loop) = rest;
    outer.insert(outer.begin(), thread_);
  }

  Configuration const& configuration_;
  Decisions& decisions_;
  Steps steps_;
  std::string result_, attach_, thread_;
  std::vector<std::pair<std::string, int64_t>> loops_, lanes_;
  std::vector<std::string> operands_, blocks_;
  int64_t count_ = 0;
};

}  // namespace

std::optional<Schedule> element_schedule(Schedule const& plain, Configuration const& configuration,
                                         Decisions& decisions) {
  return ElementSchedule(plain, configuration, decisions).run();
}

}  // namespace tw::vta
