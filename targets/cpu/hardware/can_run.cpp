#include "targets/cpu/hardware/can_run.h"

#include <optional>
#include <string_view>

#if defined(__aarch64__) || defined(__arm__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "targets/cpu/hardware/arm_features.h"
#include "targets/cpu/hardware/tiles.h"

namespace tw {
namespace {

#if defined(__x86_64__)

constexpr std::string_view kArchitecture = "x86_64";

/// Empty for a name that is not known here. (The compiler's test takes names as constants only; it
/// includes the question whether the system saves the registers.)
std::optional<bool> has_feature(std::string_view name) {
  // Every processor of 64 bits but the very first ones has these, and the compiler's test does not
  // know them.
  if (name == "cx16" || name == "sahf") return true;
  __builtin_cpu_init();
  if (name.starts_with("amx-") && !may_use_tiles()) return false;
#define TW_FEATURE(text) \
  if (name == text) return __builtin_cpu_supports(text) != 0
  TW_FEATURE("sse3");
  TW_FEATURE("ssse3");
  TW_FEATURE("sse4.1");
  TW_FEATURE("sse4.2");
  TW_FEATURE("popcnt");
  TW_FEATURE("movbe");
  TW_FEATURE("avx");
  TW_FEATURE("f16c");
  TW_FEATURE("fma");
  TW_FEATURE("avx2");
  TW_FEATURE("bmi");
  TW_FEATURE("bmi2");
  TW_FEATURE("lzcnt");
  TW_FEATURE("avx512f");
  TW_FEATURE("avx512cd");
  TW_FEATURE("avx512dq");
  TW_FEATURE("avx512bw");
  TW_FEATURE("avx512vl");
  TW_FEATURE("avx512ifma");
  TW_FEATURE("avx512vbmi");
  TW_FEATURE("avx512vbmi2");
  TW_FEATURE("avx512vnni");
  TW_FEATURE("avx512bitalg");
  TW_FEATURE("avx512vpopcntdq");
  TW_FEATURE("avx512bf16");
  TW_FEATURE("avx512fp16");
  TW_FEATURE("avxvnni");
  TW_FEATURE("gfni");
  TW_FEATURE("amx-tile");
  TW_FEATURE("amx-int8");
  TW_FEATURE("amx-bf16");
#undef TW_FEATURE
  return {};
}

#elif defined(__aarch64__)

constexpr std::string_view kArchitecture = "aarch64";

std::optional<bool> has_feature(std::string_view name) {
  for (ArmFeature const& feature : kArmFeatures)
    if (name == feature.llvm)
      return (getauxval(feature.word == 1 ? AT_HWCAP : AT_HWCAP2) >> feature.bit & 1) != 0;
  return {};
}

#elif defined(__arm__)

constexpr std::string_view kArchitecture = "armv7";

std::optional<bool> has_feature(std::string_view name) {
  unsigned long bits = getauxval(AT_HWCAP);
  if (name == "neon") return (bits & HWCAP_NEON) != 0;
  if (name == "vfp4") return (bits & HWCAP_VFPv4) != 0;
  if (name == "hwdiv-arm") return (bits & HWCAP_IDIVA) != 0;
  return {};
}

#else

constexpr std::string_view kArchitecture = "unknown";
std::optional<bool> has_feature(std::string_view) { return {}; }

#endif

}  // namespace

Status cpu_can_run(MachineNeeds const& needs) {
  if (needs.architecture != kArchitecture)
    return bad_input("wrong_processor", "the package is for " + needs.architecture +
                                            ", this machine is " + std::string(kArchitecture));
  std::string missing;
  for (std::string const& name : needs.features)
    if (!has_feature(name).value_or(false)) missing += (missing.empty() ? "" : ", ") + name;
  if (missing.empty()) return {};
  return bad_input("wrong_processor", "the package is for " + needs.processor +
                                          " processors; this one lacks " + missing);
}

}  // namespace tw
