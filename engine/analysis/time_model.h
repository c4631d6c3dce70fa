/// What a program should take, from its loops and the machine's roofs alone.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/locality.h"
#include "engine/hardware/hardware.h"

namespace tw::analysis {

/// What crosses into a level: "L1" the bytes that the instructions ask for, "L2" what the first
/// cache misses, and so on; the last level is main memory.
struct LevelTraffic {
  std::string name;
  double bytes = 0;
  double seconds = 0;  ///< at the level's measured bandwidth, alone; caches warm
};

struct TimeModel {
  double flops = 0;  ///< arithmetic of floats that the program runs, a fused multiply-add is two
  double seconds = 0;
  double arithmetic_seconds = 0;  ///< of the instructions, at the lanes and chains that they have
  std::vector<LevelTraffic> levels;
  std::string bound;  ///< what takes longest: "arithmetic" or the name of a level
};

/// Each block issues one multiply-add (or one operation) for every vector of lanes; one lane where
/// no loop is a vector. A sum takes four cycles before the next one can use it, and two loads or
/// scalar multiply-adds fit in a cycle (x86 cores since Haswell; Agner Fog, Instruction tables; the
/// clock follows from the scalar roof). Loads that unrolled copies share
/// and accumulators that stay in registers are asked for once. Traffic is that of `Locality`, from
/// empty caches; the time counts only what does not stay in a cache from run to run, as a timing
/// that repeats the kernel sees it. The longest of arithmetic and levels is the time: the form of
/// the roofline model (Williams, Waterman, Patterson 2009) over all levels.
TimeModel model_time(ir::Program const& program, Locality const& locality, Hardware const& hardware,
                     Roofs const& roofs);

}  // namespace tw::analysis
