/// What a program should take on a CPU.
#pragma once

#include "engine/analysis/time_model.h"
#include "engine/hardware/hardware.h"

namespace tw {

/// Each block issues one multiply-add (or one operation) for every vector of lanes; one lane where
/// no loop is a vector. A sum takes four cycles (of integers: one) before the next one can use it,
/// and two loads or scalar multiply-adds fit in a cycle (x86 cores since Haswell; Agner Fog,
/// Instruction tables; the clock follows from the scalar roof). Loads that unrolled copies share
/// and accumulators that stay in registers are asked for once. Levels of memory:
/// analysis/time_model.h.
analysis::TimeModel cpu_model_time(ir::Program const& program, analysis::Locality const& locality,
                                   Hardware const& hardware, Roofs const& roofs);

}  // namespace tw
