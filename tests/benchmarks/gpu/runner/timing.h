/// Times of several ways to do the same, in turns.
#pragma once

#include <functional>

#include "tests/benchmarks/gpu/runner/device.h"

namespace tw::gpu_bench {

/// One way. Either puts a call on the device's stream, or measures itself.
struct Arm {
  std::string name;
  std::function<Status()> run = {};
  std::function<Result<double>()> seconds = {};  ///< of one call
  Json facts = Json::object();                   ///< what else is known of it
};

struct TimingOptions {
  int rounds = 15;
  double least_seconds = 2e-3;  ///< of one sample
  double most_seconds = 3;      ///< of all rounds: the rest is left out
};

/// Adds "arms" to the item's result: for each the seconds of a call, round by round, how many calls
/// a sample has, and whether these were one graph. An arm that fails has its sentence instead.
/// Errors: those of the device's own events.
Status time_arms(Device const& device, std::vector<Arm>& arms, TimingOptions const& options,
                 uint64_t seed, Json& result);

}  // namespace tw::gpu_bench
