#include "tests/benchmarks/kernels/rounds.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "engine/runtime/kernel_runtime.h"

namespace tw::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastBatchSeconds = 50e-6;
constexpr double kLongCallSeconds = 20e-3;
constexpr double kProbeSeconds = 30e-6;
constexpr double kSlowestProbe = 0.95;  // of the best one

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double seconds_of_calls(Arm const& arm) {
  auto start = Clock::now();
  for (int64_t i = 0; i < arm.calls_per_batch; ++i) arm.run();
  return seconds_since(start) / double(arm.calls_per_batch);
}

/// Marks what is to be dropped; returns how many rounds stay.
int mark_kept(std::vector<Round>& rounds) {
  double best = 0;
  for (Round const& round : rounds) best = std::max(best, std::ranges::max(round.probes));
  int kept = 0;
  for (Round& round : rounds) {
    round.kept = std::ranges::min(round.probes) >= kSlowestProbe * best;
    kept += round.kept;
  }
  return kept;
}

Round run_round(std::vector<Arm> const& arms, FmaProbe const& probe, Rng& rng) {
  std::vector<size_t> order(arms.size());
  std::iota(order.begin(), order.end(), size_t(0));
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(int64_t(i))]);
  Round round{std::vector<double>(arms.size()), std::vector<double>(arms.size())};
  for (size_t arm : order) {
    round.probes[arm] = probe.measure();
    round.seconds[arm] = sample(arms[arm]);
  }
  return round;
}

}  // namespace

FmaProbe::FmaProbe(LoadedModule module, void* function, double flops_per_iteration)
    : module_(std::move(module)), function_(function), flops_per_iteration_(flops_per_iteration) {
  while (burst(iterations_) < kProbeSeconds) iterations_ *= 2;
}

Result<FmaProbe> FmaProbe::create(Backend const& backend, std::string_view type,
                                  std::string_view unit) {
  TRY_ASSIGN(RoofProbes probes, backend.roof_probes());
  auto compute = std::ranges::find_if(probes.compute, [&](ComputeProbe const& one) {
    return one.type == type && one.unit == unit;
  });
  if (compute == probes.compute.end())
    return refused("no_probe", "no probe computes with " + std::string(type));
  TRY_ASSIGN(LoadedModule module, LoadedModule::load(probes.library));
  TRY_ASSIGN(void* function, module.symbol(compute->probe.symbol));
  return FmaProbe(std::move(module), function, compute->probe.flops_per_iteration);
}

double FmaProbe::burst(int64_t iterations) const {
  struct alignas(64) {
    RoofParameters parameters;
    std::byte scratch[64];
  } first{{.tasks = 1, .iterations = iterations}, {}};
  alignas(64) std::byte data[64] = {};
  void* buffers[] = {&first, data, nullptr};
  // One task: the probe's loop over tasks runs in this thread.
  TwRuntime runtime = table_without_device(
      [](void*, int64_t tasks, TwTaskBody body, void* closure) -> int32_t {
        for (int64_t i = 0; i < tasks; ++i) body(closure, i);
        return 0;
      },
      nullptr);
  auto start = Clock::now();
  reinterpret_cast<TwKernel>(function_)(buffers, &runtime);
  return seconds_since(start);
}

double FmaProbe::measure() const {
  return flops_per_iteration_ * double(iterations_) / burst(iterations_);
}

Arm make_arm(std::string name, std::function<void()> run) {
  Arm arm{std::move(name), std::move(run)};
  seconds_of_calls(arm);
  double seconds = seconds_of_calls(arm);
  if (seconds < kLeastBatchSeconds)
    arm.calls_per_batch = int64_t(kLeastBatchSeconds / std::max(seconds, 1e-7)) + 1;
  // Of a long call one is enough: it averages over what disturbs a short one.
  if (seconds > kLongCallSeconds) arm.batches = 1;
  return arm;
}

double sample(Arm const& arm) {
  arm.run();
  double least = seconds_of_calls(arm);
  for (int i = 1; i < arm.batches; ++i) least = std::min(least, seconds_of_calls(arm));
  return least;
}

std::vector<Round> interleave(std::vector<Arm> const& arms, FmaProbe const& probe,
                              RoundOptions const& options, Rng& rng) {
  std::vector<Round> rounds;
  int kept = 0;
  while (kept < options.wanted && int(rounds.size()) < options.most) {
    rounds.push_back(run_round(arms, probe, rng));
    kept = mark_kept(rounds);
  }
  return rounds;
}

}  // namespace tw::bench
