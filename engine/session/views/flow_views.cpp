// What a kernel moves between memories, as the model of time has it.
#include <algorithm>

#include "engine/session/memory.h"

namespace tw::session {

std::vector<FlowLink> memory_flow(RooflineView const& roofline) {
  auto point = std::ranges::find_if(
      roofline.trail, [](RooflinePoint const& one) { return one.current && !one.levels.empty(); });
  std::vector<FlowLink> links;
  if (point == roofline.trail.end()) return links;
  for (RooflineLevel const& level : point->levels) {
    FlowLink link{.name = level.name, .bytes = level.bytes, .ms = level.ms};
    for (RoofView const& roof : roofline.roofs)
      if (!roof.compute && roof.name == level.name) link.rate = roof.value;
    if (point->model_ms > 0) link.of_time = std::min(1.0, level.ms / point->model_ms);
    link.binds = link.of_time > 0.995;
    links.push_back(std::move(link));
  }
  return links;
}

}  // namespace tw::session
