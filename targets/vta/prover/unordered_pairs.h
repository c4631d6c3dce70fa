/// Instructions of two modules that touch one element while nothing orders them.
#pragma once

#include "targets/vta/prover/footprint.h"
#include "targets/vta/prover/happens_before.h"

namespace tw::vta {

/// Two modules that meet in one memory: all of `a` write there and all of `b` read, or the other
/// way round.
struct Meeting {
  Module a = Module::kLoad, b = Module::kCompute;
  IntervalSet Footprint::*of_a = nullptr;
  IntervalSet Footprint::*of_b = nullptr;
  int64_t bucket = 16;  ///< elements that are looked up together
};
struct UnorderedPair {
  int32_t a = 0, b = 0;  ///< instructions
  int64_t element = 0;   ///< the first one that was found
};

/// All of them, up to `most`. What is not ordered with an instruction is a window of the other
/// module's: as one module goes on, so do both ends of the window.
std::vector<UnorderedPair> unordered_pairs(HappensBefore const& order,
                                           std::span<Footprint const> footprints,
                                           Meeting const& meeting, size_t most);

}  // namespace tw::vta
