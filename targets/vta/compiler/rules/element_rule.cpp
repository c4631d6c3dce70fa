#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "engine/ir/rewrite.h"
#include "targets/vta/compiler/rules/result_tiles.h"
#include "targets/vta/compiler/rules/rules.h"
#include "targets/vta/compiler/stages/places.h"

namespace tw::vta {
namespace {

/// What reads tensors at the elements that it writes, or sums over none.
class ElementSchedule {
public:
  ElementSchedule(Schedule const& plain, Configuration const& configuration, Decisions& decisions,
                  StepMemo& memo)
      : configuration_(configuration),
        decisions_(decisions),
        steps_(plain, decisions.budget(), memo) {}

  std::optional<Schedule> run() {
    if (!inline_all() || !find_operands()) return {};
    auto tiles = ResultTiles::create(steps_, result_, configuration_);
    if (!tiles) return {};
    std::vector<std::string> blocks;
    for (std::string const& operand : operands_)
      blocks.push_back(steps_.copy(result_, operand, kAccScope));
    auto elements = [this](std::vector<int64_t> const& tile) {
      return std::accumulate(tile.begin(), tile.end(), int64_t(operands_.size()),
                             std::multiplies<>());
    };
    std::string attach = tiles->cut(steps_, decisions_, elements);
    for (std::string const& block : blocks)
      if (!attach.empty()) steps_.take(fmt::format("compute_at({}, {})", block, attach));
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

  bool find_operands() {
    std::set<std::string> seen;
    ir::walk_reads(steps_.site(result_).block->body, [&](ir::Touched const& at) {
      if (seen.insert(at.buffer->name).second) operands_.push_back(at.buffer->name);
    });
    return !operands_.empty();
  }

  Configuration const& configuration_;
  Decisions& decisions_;
  Steps steps_;
  std::string result_;
  std::vector<std::string> operands_;
};

}  // namespace

std::optional<Schedule> element_schedule(Schedule const& plain, Configuration const& configuration,
                                         Decisions& decisions, StepMemo& memo) {
  return ElementSchedule(plain, configuration, decisions, memo).run();
}

}  // namespace tw::vta
