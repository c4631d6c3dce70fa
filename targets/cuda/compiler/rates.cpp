#include "targets/cuda/compiler/rates.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/cuda/compiler/matrix_units.h"
#include "targets/cuda/compiler/warpgroup_units.h"
#include "targets/cuda/hardware/description.h"

namespace tw::cuda {
namespace {

/// Of one architecture: multiply-adds of f64 in a cycle (CUDA C++ Programming Guide, Arithmetic
/// Instructions), cycles until a load's value is there from L1, L2 and DRAM (te42kyfo/gpu-benches,
/// gpu-latency: H100 PCIe, A100 80 GB, L40, V100 PCIe; an RTX 5090 by markdewing/AI_kernels; of
/// GPUs that nobody has measured, those of the nearest older one); multiply-adds of f16 with sums
/// in f32 by matrix units in a cycle, dense, which data sheets give for a second: 312 TFLOP/s of an
/// A100, 989 of an H100, 71 of an RTX 3090, 165 of an RTX 4090, 209 of an RTX 5090, and half of 170
/// TOP/s of sparse bytes, halved again, of an Orin. An H100 has that rate by wgmma of a warpgroup;
/// mma.sync of a warp reaches about 0.75 of it at best (neuralmagic/nm-vllm#401, after measurements
/// of Hazy Research and arXiv 2402.13499).
struct Architecture {
  std::string_view name;
  double f64_lanes, l1_latency, l2_latency, dram_latency, matrix_lanes, group_matrix_lanes;
};

constexpr Architecture kArchitectures[] = {{"sm_70", 32, 30, 214, 436, 0, 0},
                                           {"sm_75", 2, 30, 214, 436, 0, 0},
                                           {"sm_80", 32, 36, 211, 570, 1024, 0},
                                           {"sm_86", 2, 36, 211, 570, 256, 0},
                                           {"sm_87", 2, 36, 211, 570, 1024, 0},
                                           {"sm_89", 2, 36, 276, 631, 256, 0},
                                           {"sm_90a", 64, 34, 265, 650, 0.75 * 2048, 2048},
                                           {"sm_120", 2, 44, 360, 936, 256, 0}};

double bandwidth(Roofs const& roofs, std::string_view name) {
  auto found = std::ranges::find(roofs.memory, name, &MemoryRoof::name);
  return found == roofs.memory.end() ? 0 : found->load.all_cores * 1e9;
}

Rate rate(double billions) { return {.one_core = billions, .all_cores = billions}; }

/// Each has the rate of its elements' bytes, named after its instruction; the faster ones first.
void add_matrix_units(Hardware const& machine, double cycles, Roofs& roofs) {
  auto known = std::ranges::find(kArchitectures, machine.word(kArchitecture), &Architecture::name);
  if (known == std::end(kArchitectures)) return;
  auto add = [&](auto const& unit, double lanes_of_halves) {
    double lanes = lanes_of_halves * 2 / double(size_of(unit.factor));
    roofs.compute.push_back({fmt::format("{} {}", unit.name, to_text(unit.factor)), "matrix",
                             std::string(unit.arithmetic()), rate(2 * lanes * cycles)});
  };
  if (known->group_matrix_lanes > 0)
    for (WarpgroupUnit const& unit : warpgroup_units()) add(unit, known->group_matrix_lanes);
  for (MatrixUnit const& unit : kMatrixUnits) add(unit, known->matrix_lanes);
}

}  // namespace

std::optional<Roofs> roofs_of(Hardware const& machine) {
  auto lanes = number_of(machine, kLanes), clock = number_of(machine, kMegahertz),
       bandwidth = number_of(machine, kGigabytes);
  if (!lanes || !clock || !bandwidth) return std::nullopt;
  double cycles = double(*clock) * 1e-3 * machine.unit().count;  // 1e9 per second, of all units
  Roofs roofs;
  roofs.compute = {{"FMA f32", "vector", "f32", rate(2 * double(*lanes) * cycles)}};
  add_matrix_units(machine, cycles, roofs);
  constexpr double kSharedBytes = 128;  // of a multiprocessor in a cycle: 32 banks of 4
  auto memory = [&](char const* name, double gigabytes) {
    roofs.memory.push_back(
        {.name = name, .working_set = 0, .load = rate(gigabytes), .triad = rate(gigabytes)});
  };
  memory(kSharedMemory, kSharedBytes * cycles);
  if (auto l2 = number_of(machine, kL2Gigabytes)) memory(kL2, double(*l2));
  memory("DRAM", double(*bandwidth));
  return roofs;
}

Result<gpu::Rates> rates_of(Hardware const& hardware, Roofs const& roofs) {
  gpu::Rates rates;
  TRY_ASSIGN(int64_t lanes, number_of(hardware, kLanes));
  TRY_ASSIGN(int64_t megahertz, number_of(hardware, kMegahertz));
  TRY_ASSIGN(rates.l1_bytes, number_of(hardware, kL1));
  rates.units = std::max(1, hardware.unit().count);
  rates.hertz = double(megahertz) * 1e6;
  rates.f32_lanes = double(lanes);
  rates.shuffle_lanes = kWarpThreads;  // of every architecture, as the guide's table has it
  if (MemoryLevel const* l2 = hardware.memory(kL2)) rates.l2_bytes = l2->bytes;
  rates.l2_bandwidth = bandwidth(roofs, kL2);
  rates.dram_bandwidth = bandwidth(roofs, "DRAM");
  for (Architecture const& one : kArchitectures) {
    if (one.name != hardware.word(kArchitecture)) continue;
    rates.f64_lanes = one.f64_lanes;
    rates.l1_latency = one.l1_latency;
    rates.l2_latency = one.l2_latency;
    rates.dram_latency = one.dram_latency;
    rates.matrix_lanes = one.matrix_lanes;
    rates.group_matrix_lanes = one.group_matrix_lanes;
  }
  return rates;
}

}  // namespace tw::cuda
