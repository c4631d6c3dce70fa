#include "targets/cpu/compiler/cpu_targets.h"

#include "targets/cpu/hardware/detect.h"

namespace tw {
namespace {

struct Row {
  std::string name;
  Hardware hardware;
};

Hardware any(std::string name, std::string triple, std::string cpu, std::string features,
             int vector_bytes, int vector_registers) {
  return {
      .target = kCpuTarget,
      .name = std::move(name),
      .code = {{kTriple, std::move(triple)},
               {kProcessor, std::move(cpu)},
               {kFeatures, std::move(features)}},
      .units = {{.count = 4, .vector_bytes = vector_bytes, .vector_registers = vector_registers}},
      .memories = {{"L1", 32 << 10},
                   {"L2", 512 << 10},
                   {.name = "L3", .bytes = 8 << 20, .shared_by = 4},
                   main_memory(int64_t(8) << 30)}};
}

/// Levels: x86-64 psABI, "Micro-Architecture Levels"; every processor with AMX so far is one of v4
/// with dot products of bytes and bf16. Arm's base of 64 bits has Advanced SIMD,
/// FEAT_DotProd is a must from Armv8.4-A on and FEAT_I8MM from Armv8.6-A; of 32 bits, what has no
/// VFPv4 (Cortex-A8, A9) has no fused products and no f16. Caches are those of small machines of
/// the kind, so that tiles chosen for them fit larger ones, too.
std::vector<Row> rows() {
  std::string const v3 =
      "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe";
  std::string const v4 = v3 + ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl";
  return {
      {"cpu:x86-64-v3",
       any("any x86-64-v3 processor", "x86_64-linux-gnu", "x86-64-v3", v3, 32, 16)},
      {"cpu:x86-64-v4",
       any("any x86-64-v4 processor", "x86_64-linux-gnu", "x86-64-v4", v4, 64, 32)},
      {"cpu:x86-64-amx",
       any("any x86-64 processor with tiles (AMX)", "x86_64-linux-gnu", "x86-64-v4",
           v4 + ",+avx512vnni,+avx512bf16,+amx-tile,+amx-int8,+amx-bf16", 64, 32)},
      {"cpu:aarch64",
       any("any 64-bit Arm processor", "aarch64-linux-gnu", "generic", "+neon", 16, 32)},
      {"cpu:aarch64-dotprod", any("any 64-bit Arm processor with dot products of bytes",
                                  "aarch64-linux-gnu", "generic", "+neon,+dotprod", 16, 32)},
      {"cpu:aarch64-i8mm", any("any 64-bit Arm processor with 8-bit matrix products",
                               "aarch64-linux-gnu", "generic", "+neon,+dotprod,+i8mm", 16, 32)},
      {"cpu:armv7", any("any 32-bit Arm processor with NEON and VFPv4",
                        "armv7-unknown-linux-gnueabihf", "generic", "+neon,+vfp4", 16, 16)},
  };
}

}  // namespace

Result<Hardware> cpu_target(std::string const& name) {
  if (name == kCpuTarget) return detect_host();
  for (Row& row : rows())
    if (name == row.name) return row.hardware;
  return bad_input("unknown_target", "there is no target '" + name + "'");
}

std::vector<std::string> cpu_target_names() {
  std::vector<std::string> names = {kCpuTarget};
  for (Row const& row : rows()) names.push_back(row.name);
  return names;
}

std::string cpu_kind(Hardware const& hardware) {
  std::string processor = hardware.word(kProcessor), triple = hardware.word(kTriple);
  return processor.empty() || triple.empty() ? processor + triple : processor + ", " + triple;
}

}  // namespace tw
