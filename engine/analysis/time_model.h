/// What a program should take, from its loops and the machine's roofs alone: the part that is the
/// same for every machine with levels of memory. What its instructions take a target knows.
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

/// What the instructions of a program take when all data is in the nearest memory.
struct InstructionTimes {
  double flops = 0;  ///< as in TimeModel
  double arithmetic_seconds = 0;
  double asked_bytes = 0;    ///< by loads and stores
  double asked_seconds = 0;  ///< of loads and stores
  double seconds = 0;        ///< of blocks one after another: of each the longer of both
  double asked_bind = 0;     ///< of `seconds`: of blocks whose loads and stores take longer
  bool parallel = false;     ///< more than one unit works
};

/// Traffic is that of `Locality`, from empty caches; the time counts only what does not stay in a
/// cache from run to run, as a timing that repeats the kernel sees it. The longest of what the
/// instructions take and of the levels behind the nearest one is the time: the form of the roofline
/// model (Williams, Waterman, Patterson 2009) over all levels.
TimeModel model_time(InstructionTimes const& instructions, Locality const& locality,
                     Hardware const& hardware, Roofs const& roofs);

}  // namespace tw::analysis
