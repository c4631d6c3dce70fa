#include "engine/session/facts/nest_values.h"

#include <algorithm>

namespace tw::session {

int loops_marked(Snapshot const& now, LoopMark mark) {
  return now.nest ? int(std::ranges::count(now.nest->bars, mark, &LoopBar::mark)) : 0;
}

std::string loop_order(Snapshot const& now) {
  std::string text;
  if (now.nest)
    for (LoopBar const& bar : now.nest->bars) text += (text.empty() ? "" : ", ") + bar.reference;
  return text;
}

// What stands deeper, before the next loop of its depth, is inside.
int shared_loops(Snapshot const& now) {
  if (!now.nest) return 0;
  auto const& bars = now.nest->bars;
  int shared = 0;
  for (auto outer = bars.begin(); outer != bars.end(); ++outer)
    for (auto inner = outer + 1; inner != bars.end() && inner->depth > outer->depth; ++inner)
      if (inner->stage != outer->stage) {
        ++shared;
        break;
      }
  return shared;
}

}  // namespace tw::session
