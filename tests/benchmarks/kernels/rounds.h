/// Interleaved rounds: each arm once per round, in random order, with a probe of the machine's
/// speed beside each sample.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/runtime/module.h"
#include "engine/support/base/random.h"

namespace tw::bench {

/// A burst of some 30 us of fused multiply-adds on vectors, or of another instruction: what the
/// core could do right now.
class FmaProbe {
public:
  /// Of the fastest that computes with `type`, as the backend's roofs call it. Errors: no_probe.
  static Result<FmaProbe> create(Backend const& backend, std::string_view type = "f32",
                                 std::string_view unit = "vector");
  /// FLOP per second.
  double measure() const;

private:
  FmaProbe(LoadedModule module, void* function, double flops_per_iteration);
  double burst(int64_t iterations) const;

  LoadedModule module_;
  void* function_;
  double flops_per_iteration_;
  int64_t iterations_ = 1;
};

struct Arm {
  std::string name;
  std::function<void()> run;
  int64_t calls_per_batch = 1;  ///< so that a batch takes at least 50 us
  int batches = 3;              ///< a sample is the least of them
};
Arm make_arm(std::string name, std::function<void()> run);
/// Seconds of one call: one call to warm up, then the least of the batches.
double sample(Arm const& arm);

struct Round {
  std::vector<double> seconds;  ///< per arm
  std::vector<double> probes;   ///< per arm, FLOP per second, right before its sample
  bool kept = true;             ///< every probe within 5 % of the best one of the run
};

struct RoundOptions {
  int wanted = 15;  ///< rounds to keep
  int most = 60;    ///< rounds to try
};
std::vector<Round> interleave(std::vector<Arm> const& arms, FmaProbe const& probe,
                              RoundOptions const& options, Rng& rng);

}  // namespace tw::bench
