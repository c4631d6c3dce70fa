#include "engine/analysis/time_model.h"

#include <algorithm>
#include <cmath>

#include "engine/analysis/instructions.h"

namespace tw::analysis {
namespace {

constexpr double kLatency = 4;   ///< cycles of a multiply-add
constexpr double kPerCycle = 2;  ///< scalar multiply-adds, and loads of a scalar

/// How much faster parallel tasks make a block: whole rounds of tasks on all cores.
double speedup(int64_t tasks, int cores) {
  double rounds = std::ceil(double(tasks) / std::max(cores, 1));
  return double(tasks) / rounds;
}

/// Rates of one core, a second.
struct Core {
  double cycles, vector_sums, vector_loads;

  double arithmetic(Instructions const& one) const {
    double rate = one.lanes > 1 ? vector_sums : kPerCycle * cycles;
    return std::max(one.arithmetic / rate, one.arithmetic / one.chains * kLatency / cycles);
  }
  double accesses(Instructions const& one) const {
    return one.vector_accesses / vector_loads + one.scalar_accesses / (kPerCycle * cycles);
  }
};

Core core_of(Hardware const& hardware, Roofs const& roofs, int lanes) {
  double l1 = roofs.memory.empty() ? 0 : roofs.memory.front().load.one_core;
  return {roofs.f32_scalar.one_core * 1e9 / (2 * kPerCycle),
          roofs.f32_vector.one_core * 1e9 / (2 * lanes), l1 * 1e9 / hardware.vector_bytes};
}

}  // namespace

TimeModel model_time(ir::Program const& program, Locality const& locality, Hardware const& hardware,
                     Roofs const& roofs) {
  TimeModel model;
  int lanes = std::max(1, hardware.vector_bytes / 4);
  Core core = core_of(hardware, roofs, lanes);
  double asked = 0, asked_seconds = 0;
  bool parallel = false;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    Instructions one = instructions_of(site, lanes);
    double times = speedup(one.tasks, hardware.cores);
    parallel = parallel || times > 1;
    model.flops += one.flops;
    model.arithmetic_seconds += core.arithmetic(one) / times;
    asked += one.bytes;
    asked_seconds += core.accesses(one) / times;
  }
  model.seconds = model.arithmetic_seconds;
  model.bound = "arithmetic";
  double data = double(locality.whole().line_bytes);
  for (size_t i = 0; i < roofs.memory.size(); ++i) {
    LevelTraffic level{roofs.memory[i].name, asked, asked_seconds};
    if (i > 0) {
      int64_t capacity = i <= hardware.caches.size() ? hardware.caches[i - 1].bytes : 0;
      Rate const& rate = roofs.memory[i].load;
      level.bytes = locality.traffic(capacity);
      bool stays = data <= double(capacity);  // from run to run
      level.seconds = stays ? 0 : level.bytes / ((parallel ? rate.all_cores : rate.one_core) * 1e9);
    }
    if (level.seconds > model.seconds) {
      model.seconds = level.seconds;
      model.bound = level.name;
    }
    model.levels.push_back(std::move(level));
  }
  return model;
}

}  // namespace tw::analysis
