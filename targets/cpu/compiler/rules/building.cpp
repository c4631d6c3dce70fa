#include "targets/cpu/compiler/rules/building.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/stmt.h"
#include "engine/schedule/trace.h"

namespace tw {

bool is_iterator(ir::Expr const& e, RuleAxis const& axis) {
  auto const* v = e.as<ir::Variable>();
  return v && v->name == "v" + axis.name;
}

int64_t RuleStage::points() const {
  int64_t count = 1;
  for (auto const* axes : {&spatial, &reduce})
    for (RuleAxis const& axis : *axes) count *= axis.extent;
  return count;
}

int64_t RuleStage::terms() const {
  int64_t count = 1;
  for (RuleAxis const& axis : reduce) count *= axis.extent;
  return count;
}

bool Building::step(std::string const& line) {
  if (decisions_.rejection()) return true;
  auto step = parse_step(line);
  if (!step) return false;
  auto next = schedule_.apply(*step, decisions_.budget());
  if (!next) return false;
  schedule_ = std::move(*next);
  return true;
}

bool Building::has_block(std::string const& name) const {
  return std::ranges::any_of(ir::blocks_of(schedule_.program().body),
                             [&](auto const& site) { return site.block->name == name; });
}

std::pair<std::string, std::string> Building::split(RuleStage const& stage, RuleAxis const& axis,
                                                    int64_t factor) {
  if (factor >= axis.extent) return {"", axis.name};
  step(fmt::format("{}.0, {}.1 = split({}, factor={})", axis.name, axis.name,
                   reference(stage, axis.name), factor));
  return {axis.name + ".0", axis.name + ".1"};
}

void Building::parallel(RuleStage const& stage,
                        std::vector<std::pair<std::string, int64_t>> const& outer, int64_t tasks) {
  if (tasks < 2) return;
  Schedule const before = schedule_;
  std::vector<std::string> names = {"none"};
  std::string by_rule = "none";
  for (auto const& [name, extent] : outer) {
    if (extent < 2) continue;
    names.push_back(name);
    if (by_rule == "none" && extent >= tasks &&
        step(fmt::format("parallel({})", reference(stage, name))))
      by_rule = name;
  }
  std::string chosen = decisions_.choose_sharing(stage.block + ".parallel", names, by_rule);
  if (chosen == by_rule) return;
  schedule_ = before;
  if (chosen != "none") step(fmt::format("parallel({})", reference(stage, chosen)));
}

std::vector<RuleAxis> Building::loops_below(std::string const& block,
                                            std::string const& loop) const {
  std::vector<RuleAxis> below;
  for (ir::BlockSite const& site : ir::blocks_of(schedule_.program().body)) {
    if (site.block->name != block) continue;
    auto at = std::find_if(site.loops.begin(), site.loops.end(),
                           [&](ir::For const* f) { return f->name() == loop; });
    for (; at != site.loops.end(); ++at)
      if ((*at)->name() != loop)
        below.push_back({(*at)->name(), ir::as_int((*at)->extent).value_or(0)});
  }
  return below;
}

std::vector<std::string> Building::loops_outside_sums(RuleStage const& stage) const {
  std::vector<std::string> outside;
  for (ir::BlockSite const& site : ir::blocks_of(schedule_.program().body)) {
    if (site.block->name != stage.block) continue;
    for (ir::For const* loop : site.loops) {
      bool sums = std::ranges::any_of(stage.reduce, [&](RuleAxis const& axis) {
        return loop->name() == axis.name || loop->name().starts_with(axis.name + ".");
      });
      if (sums || loop->loop_kind == ir::LoopKind::kVector) break;
      outside.push_back(loop->name());
    }
  }
  return outside;
}

std::string reference(RuleStage const& stage, std::string const& loop) {
  return stage.block + "." + loop;
}

int64_t divisor(int64_t extent, int64_t most) {
  for (int64_t d = std::min(extent, most); d > 1; --d)
    if (extent % d == 0) return d;
  return 1;
}

std::vector<int64_t> counts_up_to(int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t count = 1; count <= most; count += count < 16 ? 1 : count < 32 ? 4 : count)
    counts.push_back(count);
  return counts;
}

int64_t lanes_for(int64_t extent, int64_t width) {
  // In a long axis a guarded last vector costs less than lanes that are never used.
  if (extent >= 8 * width) return width;
  int64_t d = divisor(extent, width), vectors = (extent + width - 1) / width;
  // 100 is cut into 7 vectors of 16, the last one guarded, not into 10 of 10 lanes.
  bool few = 4 * vectors > 3 * (extent / d);
  if (d * 2 >= std::min(extent, width) && few) return d;
  return std::min(extent, width);
}

}  // namespace tw
