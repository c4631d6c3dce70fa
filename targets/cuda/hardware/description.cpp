#include "targets/cuda/hardware/description.h"

#include <charconv>

namespace tw::cuda {
namespace {

/// As NVIDIA's data sheets and the CUDA C++ Programming Guide (Compute Capabilities) have them;
/// L2's bandwidth as measured: H200 and A100 by te42kyfo/gpu-benches (gpu-l2-cache), of which an
/// H100 SXM has the H200's chip and clock, and V100 (its PCIe card, at 1380 MHz); RTX 4090 by
/// smallscientist1/cuda_microbenchmark (copies to shared memory).
struct Sheet {
  char const* name;
  char const* title;
  char const* architecture;
  int units, lanes, megahertz;
  int warps, blocks;
  int shared_kib, shared_per_block_kib, l1_kib, l2_mib, memory_gib, gigabytes_per_second;
  int l2_gigabytes_per_second;  ///< 0: nobody has measured it
};

constexpr Sheet kSheets[] = {
    {"h100", "H100 SXM", "sm_90a", 132, 128, 1980, 64, 32, 228, 227, 256, 50, 80, 3350, 9700},
    {"h200", "H200 SXM", "sm_90a", 132, 128, 1980, 64, 32, 228, 227, 256, 50, 141, 4800, 9700},
    {"a100", "A100 SXM 80 GB", "sm_80", 108, 64, 1410, 64, 32, 164, 163, 192, 40, 80, 2039, 5400},
    {"rtx4090", "GeForce RTX 4090", "sm_89", 128, 128, 2520, 48, 24, 100, 99, 128, 72, 24, 1008,
     4900},
    {"orin", "Jetson AGX Orin 64 GB", "sm_87", 16, 128, 1300, 48, 16, 164, 163, 192, 4, 64, 205, 0},
    {"v100", "V100 SXM2 16 GB", "sm_70", 80, 64, 1530, 64, 32, 96, 96, 128, 6, 16, 900, 2540},
};

Hardware described(Sheet const& sheet) {
  Hardware gpu{.target = kCudaTarget, .name = sheet.title};
  gpu.code = {{kArchitecture, sheet.architecture},
              {kWarps, std::to_string(sheet.warps)},
              {kBlocks, std::to_string(sheet.blocks)},
              {kSharedPerBlock, std::to_string(sheet.shared_per_block_kib * 1024)},
              {kLanes, std::to_string(sheet.lanes)},
              {kMegahertz, std::to_string(sheet.megahertz)},
              {kGigabytes, std::to_string(sheet.gigabytes_per_second)},
              {kL1, std::to_string(sheet.l1_kib * 1024)}};
  if (sheet.l2_gigabytes_per_second > 0)
    gpu.code[kL2Gigabytes] = std::to_string(sheet.l2_gigabytes_per_second);
  gpu.units = {{.name = "multiprocessor", .count = sheet.units}};
  gpu.memories = {{.name = kSharedMemory, .bytes = int64_t(sheet.shared_kib) << 10, .cache = false},
                  {.name = kL2, .bytes = int64_t(sheet.l2_mib) << 20, .shared_by = sheet.units},
                  {.name = "DRAM",
                   .bytes = int64_t(sheet.memory_gib) << 30,
                   .shared_by = sheet.units,
                   .cache = false}};
  return gpu;
}

}  // namespace

std::vector<KnownGpu> const& known_gpus() {
  static std::vector<KnownGpu> const known = [] {
    std::vector<KnownGpu> list;
    for (Sheet const& sheet : kSheets) list.push_back({sheet.name, described(sheet)});
    return list;
  }();
  return known;
}

namespace {

/// L1 and shared memory together of a multiprocessor (CUDA C++ Programming Guide, Compute
/// Capabilities, technical specifications), in KiB.
int l1_kib_of(int capability) {
  switch (capability) {
    case 75:
      return 96;
    case 80:
    case 87:
      return 192;
    case 90:
    case 100:
    case 103:
      return 256;
    default:
      return 128;
  }
}

/// Bytes that L2 gives a multiprocessor in a cycle; 0: nobody has measured it.
double l2_bytes_of(Hardware const& gpu) {
  auto clock = number_of(gpu, kMegahertz), bandwidth = number_of(gpu, kL2Gigabytes);
  if (!clock || !bandwidth || gpu.units.empty()) return 0;
  return double(*bandwidth) * 1e3 / double(*clock) / gpu.unit().count;
}

}  // namespace

void add_known_words(Hardware& gpu) {
  gpu.code[kL1] = std::to_string(l1_kib_of(capability_of(gpu)) * 1024);
  auto clock = number_of(gpu, kMegahertz);
  for (KnownGpu const& known : known_gpus()) {
    if (known.hardware.word(kArchitecture) != gpu.word(kArchitecture) || !clock) continue;
    double gigabytes = l2_bytes_of(known.hardware) * double(*clock) * gpu.unit().count * 1e-3;
    if (gigabytes < 1) continue;
    gpu.code[kL2Gigabytes] = std::to_string(int64_t(gigabytes));
    return;
  }
}

int capability_of(Hardware const& hardware) {
  std::string text = hardware.word(kArchitecture);
  constexpr size_t kPrefix = 3;  // "sm_"
  int number = 0;
  if (text.size() > kPrefix)
    std::from_chars(text.data() + kPrefix, text.data() + text.size(), number);
  return number;
}

Result<int64_t> number_of(Hardware const& hardware, char const* word) {
  std::string text = hardware.word(word);
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1)
    return bad_input("wrong_processor",
                     "'" + hardware.name.substr(0, 80) + "' does not say its " + std::string(word));
  return number;
}

}  // namespace tw::cuda
