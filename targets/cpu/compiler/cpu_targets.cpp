#include "targets/cpu/compiler/cpu_targets.h"

#include <fmt/format.h>

#include "engine/hardware/detect.h"

namespace tw {
namespace {

struct Row {
  char const* name;
  Hardware hardware;
};

/// Levels: x86-64 psABI, "Micro-Architecture Levels"; Arm's base has Advanced SIMD. Caches are
/// those of small machines of the kind, so that tiles chosen for them fit larger ones, too.
std::vector<Row> rows() {
  std::string const v3 =
      "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe";
  std::vector<CacheLevel> caches = {
      {1, 32 << 10, 64, 1}, {2, 512 << 10, 64, 1}, {3, 8 << 20, 64, 4}};
  constexpr int64_t kMemory = int64_t(8) << 30;
  return {
      {"cpu:x86-64-v3",
       {"any x86-64-v3 processor", "x86_64-linux-gnu", "x86-64-v3", v3, 32, 16, 4, kMemory,
        caches}},
      {"cpu:x86-64-v4",
       {"any x86-64-v4 processor", "x86_64-linux-gnu", "x86-64-v4",
        v3 + ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl", 64, 32, 4, kMemory, caches}},
      {"cpu:aarch64",
       {"any 64-bit Arm processor", "aarch64-linux-gnu", "generic", "+neon", 16, 32, 4, kMemory,
        caches}},
  };
}

}  // namespace

Result<Hardware> cpu_target(std::string const& name) {
  if (name == "cpu") return detect_host();
  for (Row& row : rows())
    if (name == row.name) return row.hardware;
  return bad_input("unknown_target", fmt::format("there is no target '{}'; the targets are {}",
                                                 name, fmt::join(cpu_target_names(), ", ")));
}

std::vector<std::string> cpu_target_names() {
  std::vector<std::string> names = {"cpu"};
  for (Row const& row : rows()) names.push_back(row.name);
  return names;
}

}  // namespace tw
