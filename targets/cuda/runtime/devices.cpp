#include "targets/cuda/runtime/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "targets/cuda/hardware/description.h"

namespace tw::cuda {
namespace {

constexpr int kMostDevices = 64, kLeastMajor = 7;

/// What a device answers to a question; 1 where it does not, which nothing divides by.
int64_t asked(Driver const& driver, CuDevice device, CuAttribute what) {
  int value = 0;
  bool answered = driver.cuDeviceGetAttribute(&value, what, device) == kCuSuccess;
  return answered && value > 0 ? value : 1;
}

/// f32 multiply-adds of a multiprocessor in a cycle (CUDA C++ Programming Guide, arithmetic
/// instructions).
int64_t lanes_of(int64_t major, int64_t minor) {
  return major == 7 || (major == 8 && minor == 0) ? 64 : 128;
}

/// sm_90 has instructions that no later GPU keeps: its code is named so.
std::string architecture_of(int64_t major, int64_t minor) {
  return fmt::format("sm_{}{}{}", major, minor, major == 9 && minor == 0 ? "a" : "");
}

Hardware described(Driver const& driver, CuDevice device) {
  auto ask = [&](CuAttribute what) { return asked(driver, device, what); };
  constexpr int64_t kWarp = 32, kKilo = 1000, kMega = 1000000, kBitsOfByte = 8;
  char name[256] = {};
  driver.cuDeviceGetName(name, int(sizeof name) - 1, device);
  size_t bytes = 0;
  driver.cuDeviceTotalMem_v2(&bytes, device);
  Hardware gpu{.target = kCudaTarget, .name = name};
  int64_t major = ask(kCuMajor), minor = 0;
  int answer = 0;
  if (driver.cuDeviceGetAttribute(&answer, kCuMinor, device) == kCuSuccess) minor = answer;
  // Memory moves twice in a cycle of its clock.
  int64_t gigabytes =
      2 * ask(kCuMemoryClockKilohertz) * ask(kCuMemoryBusBits) / kBitsOfByte / kMega;
  gpu.code = {
      {kArchitecture, architecture_of(major, minor)},
      {kWarps, std::to_string(std::max<int64_t>(ask(kCuThreadsPerMultiprocessor) / kWarp, 1))},
      {kBlocks, std::to_string(ask(kCuBlocksPerMultiprocessor))},
      {kSharedPerBlock, std::to_string(ask(kCuSharedPerBlockAtMost))},
      {kLanes, std::to_string(lanes_of(major, minor))},
      {kMegahertz, std::to_string(std::max<int64_t>(ask(kCuClockKilohertz) / kKilo, 1))},
      {kGigabytes, std::to_string(std::max<int64_t>(gigabytes, 1))}};
  int units = int(ask(kCuMultiprocessors));
  gpu.units = {{.name = "multiprocessor", .count = units}};
  gpu.memories = {{.name = kSharedMemory, .bytes = ask(kCuSharedPerMultiprocessor), .cache = false},
                  {.name = "L2", .bytes = ask(kCuL2Bytes), .shared_by = units},
                  {.name = "DRAM", .bytes = int64_t(bytes), .shared_by = units, .cache = false}};
  add_known_words(gpu);
  return gpu;
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = char(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

}  // namespace

Result<std::vector<FoundDevice>> devices(Driver const& driver) {
  int count = 0;
  if (driver.cuDeviceGetCount(&count) != kCuSuccess) count = 0;
  std::vector<FoundDevice> found;
  for (int i = 0; i < std::min(count, kMostDevices); ++i) {
    CuDevice device = 0;
    if (driver.cuDeviceGet(&device, i) != kCuSuccess) continue;
    if (asked(driver, device, kCuMajor) < kLeastMajor) continue;
    found.push_back({device, described(driver, device)});
  }
  if (found.empty())
    return environment_failed("no_such_hardware",
                              count == 0 ? "the NVIDIA driver has no device here"
                                         : "no NVIDIA device here has compute capability 7.0");
  return found;
}

Result<FoundDevice> find_device(Driver const& driver, std::string_view part) {
  TRY_ASSIGN(std::vector<FoundDevice> all, devices(driver));
  std::string names;
  for (FoundDevice& one : all) {
    if (lower(one.hardware.name).contains(lower(part))) return std::move(one);
    names += (names.empty() ? "" : ", ") + one.hardware.name;
  }
  return environment_failed(
      "no_such_hardware",
      fmt::format("no CUDA device is called '{}'; there are: {}", part.substr(0, 80), names));
}

}  // namespace tw::cuda
