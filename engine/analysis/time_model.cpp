#include "engine/analysis/time_model.h"

namespace tw::analysis {

TimeModel model_time(InstructionTimes const& instructions, Locality const& locality,
                     Hardware const& hardware, Roofs const& roofs) {
  bool asked = instructions.asked_bind > instructions.seconds / 2 && !roofs.memory.empty();
  TimeModel model{.flops = instructions.flops,
                  .seconds = instructions.seconds,
                  .arithmetic_seconds = instructions.arithmetic_seconds,
                  .levels = {},
                  .bound = asked ? roofs.memory.front().name : "arithmetic"};
  auto caches = hardware.caches();
  double data = double(locality.whole().line_bytes);
  for (size_t i = 0; i < roofs.memory.size(); ++i) {
    LevelTraffic level{roofs.memory[i].name, instructions.asked_bytes, instructions.asked_seconds};
    if (i > 0) {
      int64_t capacity = i <= caches.size() ? caches[i - 1].bytes : 0;
      Rate const& rate = roofs.memory[i].load;
      level.bytes = locality.traffic(capacity);
      bool stays = data <= double(capacity);  // from run to run
      double speed = instructions.parallel ? rate.all_cores : rate.one_core;
      level.seconds = stays ? 0 : level.bytes / (speed * 1e9);
    }
    if (i > 0 && level.seconds > model.seconds) {
      model.seconds = level.seconds;
      model.bound = level.name;
    }
    model.levels.push_back(std::move(level));
  }
  return model;
}

}  // namespace tw::analysis
