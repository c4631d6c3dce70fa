#include "tests/benchmarks/gpu/runner/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tw::gpu_bench {
namespace {

using namespace cuda;

constexpr unsigned kThreads = 1024;

class Probes {
public:
  static Result<Probes> load(Device const& device, Pack const& pack) {
    TRY_ASSIGN(std::string text, file_text(pack.folder / "probes.ptx"));
    TRY_ASSIGN(CuModule module, load_module(device, text));
    return Probes(device, module);
  }
  /// Until the process ends the module stays.
  Result<CuFunction> function(std::string const& name) const {
    CuFunction found = nullptr;
    CuResult code = device_.driver.cuModuleGetFunction(&found, module_, name.c_str());
    TRY(device_.told("'" + name + "' is not to be had", code));
    return found;
  }
  Status launch(CuFunction function, unsigned blocks, unsigned threads,
                std::vector<void*> parameters) const {
    return device_.told("a probe could not be launched",
                        device_.driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0,
                                                      device_.stream, parameters.data(), nullptr));
  }

private:
  Probes(Device const& device, CuModule module) : device_(device), module_(module) {}
  Device const& device_;
  CuModule module_;
};

/// The least of all rounds, in words of `name`.
Result<Json> measured(Device const& device, TimingOptions const& options, std::string const& name,
                      double of, char const* unit, std::function<Status()> run) {
  std::vector<Arm> arms;
  arms.push_back({.name = name, .run = std::move(run)});
  Json result = {{"name", name}};
  TRY(time_arms(device, arms, options, 1, result));
  auto seconds = result["arms"][0]["seconds"].get<std::vector<double>>();
  double least = seconds.empty() ? 0 : std::ranges::min(seconds);
  result["unit"] = unit;
  result["rate"] = least > 0 ? of / least : 0;
  return result;
}

/// Bytes that are a whole number of turns of all threads.
size_t whole_turns(size_t bytes, unsigned blocks) {
  size_t turn = size_t(blocks) * kThreads * 16 * 4;
  return std::max(bytes / turn, size_t(1)) * turn;
}

/// Small tensors several times in a launch, which is short otherwise.
Result<Json> reading(Device const& device, Probes const& probes, TimingOptions const& options,
                     size_t bytes) {
  constexpr size_t kRead = size_t(1) << 30;
  unsigned blocks = unsigned(device.attribute(kCuMultiprocessors)) * 2;
  bytes = whole_turns(bytes, blocks);
  TRY_ASSIGN(Memory from, Memory::create(device, bytes));
  TRY_ASSIGN(Memory to, Memory::create(device, 64));
  TRY(from.fill(0));
  TRY_ASSIGN(CuFunction function, probes.function("tw_probe_read"));
  uint64_t count = bytes / 16;
  auto passes = uint32_t(std::max(kRead / bytes, size_t(1)));
  CuPointer source = from.at(), target = to.at();
  return measured(
      device, options, fmt::format("read {:.1f} MB", double(bytes) * 1e-6), double(bytes) * passes,
      "bytes a second", [&, blocks] {
        return probes.launch(function, blocks, kThreads, {&source, &target, &count, &passes});
      });
}

Result<Json> copying(Device const& device, Probes const& probes, TimingOptions const& options,
                     size_t bytes) {
  unsigned blocks = unsigned(device.attribute(kCuMultiprocessors)) * 2;
  bytes = whole_turns(bytes, blocks);
  TRY_ASSIGN(Memory from, Memory::create(device, bytes));
  TRY_ASSIGN(Memory to, Memory::create(device, bytes));
  TRY(from.fill(0));
  TRY_ASSIGN(CuFunction function, probes.function("tw_probe_copy"));
  uint64_t count = bytes / 16;
  CuPointer source = from.at(), target = to.at();
  return measured(device, options, fmt::format("copy {:.1f} MB", double(bytes) * 1e-6),
                  2 * double(bytes), "bytes a second", [&, blocks] {
                    return probes.launch(function, blocks, kThreads, {&source, &target, &count});
                  });
}

Result<Json> launching(Device const& device, Probes const& probes, TimingOptions const& options) {
  TRY_ASSIGN(CuFunction function, probes.function("tw_probe_nothing"));
  CuPointer target = 0;
  return measured(device, options, "launches", 1, "launches a second",
                  [&] { return probes.launch(function, 1, 32, {&target}); });
}

Result<Json> arithmetic(Device const& device, Probes const& probes, TimingOptions const& options,
                        uint32_t turns) {
  unsigned blocks = unsigned(device.attribute(kCuMultiprocessors)) * 4;
  constexpr unsigned kOwnThreads = 512;
  TRY_ASSIGN(Memory to, Memory::create(device, 64));
  TRY_ASSIGN(CuFunction function, probes.function("tw_probe_fma"));
  CuPointer target = to.at();
  double flops = 2.0 * 64 * turns * blocks * kOwnThreads;
  return measured(device, options, "multiply-adds of f32", flops, "FLOP a second", [&, blocks] {
    return probes.launch(function, blocks, kOwnThreads, {&target, &turns});
  });
}

/// Of one multiprocessor: all warps that a block may have ask for the same lanes.
class PatternProbe {
public:
  static Result<PatternProbe> create(Device const& device, Probes const& probes) {
    PatternProbe made(device, probes);
    TRY_ASSIGN(made.offsets_, Memory::create(device, 32 * sizeof(uint32_t)));
    TRY_ASSIGN(made.cycles_, Memory::create(device, sizeof(uint64_t)));
    TRY_ASSIGN(made.sink_, Memory::create(device, kThreads * sizeof(uint32_t)));
    return made;
  }

  /// Cycles of one warp's access.
  Result<double> measure(Json const& pattern) {
    auto lanes = pattern.at("offsets").get<std::vector<uint32_t>>();
    TRY(offsets_.write(std::as_bytes(std::span(lanes))));
    TRY_ASSIGN(CuFunction function,
               probes_.function(fmt::format("tw_probe_shared_{}", pattern.at("bytes").get<int>())));
    CuPointer offsets = offsets_.at(), cycles = cycles_.at(), sink = sink_.at();
    uint32_t turns = kTurns, step = 0;
    double least = 0;
    for (int round = 0; round < kRounds; ++round) {
      TRY(probes_.launch(function, 1, kThreads, {&offsets, &cycles, &sink, &turns, &step}));
      uint64_t passed = 0;
      TRY(cycles_.read(std::as_writable_bytes(std::span(&passed, 1))));
      double own = double(passed) / (double(kTurns) * kLoads * (kThreads / 32));
      least = round == 0 ? own : std::min(least, own);
    }
    return least;
  }

private:
  static constexpr uint32_t kTurns = 64, kLoads = 8;
  static constexpr int kRounds = 3;
  PatternProbe(Device const& device, Probes const& probes) : device_(device), probes_(probes) {}
  Device const& device_;
  Probes const& probes_;
  Memory offsets_, cycles_, sink_;
};

}  // namespace

Result<Json> measure_roofs(Device const& device, Pack const& pack, TimingOptions const& options,
                           size_t most_bytes) {
  TRY_ASSIGN(Probes probes, Probes::load(device, pack));
  Json list = Json::array();
  auto add = [&](Result<Json> one) -> Status {
    if (!one) return std::unexpected(one.error());
    list.push_back(std::move(*one));
    return {};
  };
  for (size_t megabytes : {18, 36, 72, 144, 1024})
    if (megabytes << 20 <= most_bytes) TRY(add(reading(device, probes, options, megabytes << 20)));
  for (size_t megabytes : {18, 256, 1024})
    if (megabytes << 20 <= most_bytes) TRY(add(copying(device, probes, options, megabytes << 20)));
  TRY(add(arithmetic(device, probes, options, 4096)));
  TRY(add(launching(device, probes, options)));
  return list;
}

Result<Json> measure_patterns(Device const& device, Pack const& pack) {
  TRY_ASSIGN(Probes probes, Probes::load(device, pack));
  TRY_ASSIGN(PatternProbe probe, PatternProbe::create(device, probes));
  Json list = Json::array();
  for (Json const& pattern : pack.json.at("patterns")) {
    TRY_ASSIGN(double cycles, probe.measure(pattern));
    list.push_back({{"name", pattern["name"]},
                    {"bytes", pattern["bytes"]},
                    {"passes", pattern["passes"]},
                    {"cycles", cycles}});
  }
  return list;
}

}  // namespace tw::gpu_bench
