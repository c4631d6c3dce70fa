#include "engine/session/facts/peak_values.h"

#include "engine/session/facts/nest_values.h"
#include "engine/support/base/quantities.h"

namespace tw::session {

RoofView const* peak(Snapshot const& now) {
  RoofView const* best = nullptr;
  bool parallel = loops_marked(now, LoopMark::kParallel) > 0;
  if (now.machine && now.machine->roofs_known)
    for (RoofView const& roof : now.machine->roofs)
      if (roof.compute && (parallel || roof.cores == 1) && (!best || roof.value > best->value))
        best = &roof;
  return best;
}

std::string peak_words(Snapshot const& now) {
  RoofView const* best = peak(now);
  if (!best || !now.history) return "not known";
  return speed_text(best->value, now.history->unit) + " of " + count_text(best->cores, "core");
}

}  // namespace tw::session
