/// What the accelerator reaches at best: its units and its port, from configuration and timing
/// model.
#pragma once

#include "engine/hardware/hardware.h"
#include "targets/vta/simulator/timing.h"

namespace tw::vta {

/// Ways to main memory by their names as `Roofs` and modelled times have them.
inline constexpr char kWeightsWay[] = "weights", kLoadWay[] = "load", kStoreWay[] = "store",
                      kPort[] = "DRAM";

/// GEMM multiply-adds count two operations, ALU one for each lane. Weights, other loads and stores
/// have the rates of long transfers; all of them share the port, which has the rate of its width.
Roofs roofs_of(Configuration const& configuration, TimingConstants const& constants = {});

}  // namespace tw::vta
