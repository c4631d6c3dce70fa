#include <fmt/format.h>

#include <algorithm>

#include "targets/cpu/compiler/rules/rules.h"

namespace tw {

namespace {
constexpr int64_t kWorthThreads = 16384;  // elements; fewer take less time than starting threads
}

void elementwise_rule(Building& building, RuleStage const& stage, Target const& target,
                      int64_t width) {
  if (stage.spatial.empty()) return;
  RuleAxis const& last = stage.spatial.back();
  std::vector<std::pair<std::string, int64_t>> outer;
  for (size_t i = 0; i + 1 < stage.spatial.size(); ++i)
    outer.push_back({stage.spatial[i].name, stage.spatial[i].extent});
  if (last.extent > 1) {
    int64_t lanes = building.choose(stage, "lanes", {width, 2 * width, 4 * width},
                                    lanes_for(last.extent, width));
    lanes = std::min(lanes, last.extent);
    auto [rest, inner] = building.split(stage, last, lanes);
    building.step(fmt::format("vectorize({})", reference(stage, inner)));
    if (!rest.empty()) outer.push_back({rest, last.extent / lanes});
  }
  if (stage.points() >= kWorthThreads)
    building.parallel(stage, outer, target.hardware.unit().count);
}

}  // namespace tw
