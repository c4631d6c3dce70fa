#include "targets/cpu/compiler/time_model.h"

#include <algorithm>
#include <cmath>

#include "engine/analysis/compiled_loops.h"
#include "engine/analysis/instructions.h"

namespace tw {
namespace {

using analysis::Instructions;

constexpr double kLatency = 4;   ///< cycles of a multiply-add of floats
constexpr double kShortest = 1;  ///< of a sum of integers
constexpr double kPerCycle = 2;  ///< scalar multiply-adds, and loads of a scalar

/// How much faster parallel tasks make a block: whole rounds of tasks on all cores, which together
/// may be slower than as many alone.
double speedup(int64_t tasks, int cores, Rate const& vectors) {
  double together = double(std::clamp<int64_t>(tasks, 1, std::max(cores, 1)));
  double rounds = std::ceil(double(tasks) / std::max(cores, 1));
  double alone = vectors.one_core * cores;
  double kept = vectors.all_cores > 0 ? std::min(1.0, vectors.all_cores / alone) : 1;
  double slower = cores > 1 ? 1 - (1 - kept) * (together - 1) / (cores - 1) : 1;
  return double(tasks) / rounds * slower;
}

/// Rates of one core, a second.
struct Core {
  double cycles, vector_sums, vector_loads;

  double arithmetic(Instructions const& one) const {
    double rate = one.lanes > 1 ? vector_sums : kPerCycle * cycles;
    double latency = one.integers ? kShortest : kLatency;
    return std::max(one.arithmetic / rate, one.arithmetic / one.chains * latency / cycles);
  }
  double accesses(Instructions const& one) const {
    return one.vector_accesses / vector_loads + one.scalar_accesses / (kPerCycle * cycles);
  }
};

Core core_of(Hardware const& hardware, Roofs const& roofs, int lanes) {
  double l1 = roofs.memory.empty() ? 0 : roofs.memory.front().load.one_core;
  return {roofs.of("scalar", "f32").one_core * 1e9 / (2 * kPerCycle),
          roofs.of("vector", "f32").one_core * 1e9 / (2 * lanes),
          l1 * 1e9 / hardware.unit().vector_bytes};
}

}  // namespace

analysis::TimeModel cpu_model_time(ir::Program const& program, analysis::Locality const& locality,
                                   Hardware const& hardware, Roofs const& roofs) {
  analysis::InstructionTimes times;
  int lanes = std::max(1, hardware.unit().vector_bytes / 4);
  Core core = core_of(hardware, roofs, lanes);
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    Instructions one = locality.memo() ? locality.memo()->instructions(site, lanes)
                                       : analysis::compiled_instructions(site, lanes);
    double faster = speedup(one.tasks, hardware.unit().count, roofs.of("vector", "f32"));
    times.parallel = times.parallel || faster > 1;
    double arithmetic = core.arithmetic(one) / faster, accesses = core.accesses(one) / faster;
    times.flops += one.flops;
    times.arithmetic_seconds += arithmetic;
    times.asked_bytes += one.bytes;
    times.asked_seconds += accesses;
    times.seconds += std::max(arithmetic, accesses);
    times.asked_bind += accesses > arithmetic ? accesses : 0;
  }
  return analysis::model_time(times, locality, hardware, roofs);
}

}  // namespace tw
