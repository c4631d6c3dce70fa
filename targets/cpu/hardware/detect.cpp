#include "targets/cpu/hardware/detect.h"

#include <sched.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#if defined(__arm__)
#include <asm/hwcap.h>
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "engine/hardware/machine.h"
#include "targets/cpu/hardware/arm_features.h"
#include "targets/cpu/hardware/tiles.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  size_t end = text.find_last_not_of(" \t\n");
  return std::string(text.substr(begin, end - begin + 1));
}

/// Files below /proc and /sys have no size that one could ask for: read to the end, capped.
std::string read_text(fs::path const& path) {
  constexpr size_t kMostBytes = 1 << 16;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes, '\0');
  file.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

int64_t to_number(std::string_view text, int64_t otherwise) {
  int64_t value = otherwise;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? value : otherwise;
}

/// The first processor's "key : value" lines.
std::map<std::string, std::string> first_processor(std::string_view cpuinfo) {
  std::map<std::string, std::string> values;
  std::istringstream lines{std::string(cpuinfo)};
  for (std::string line; std::getline(lines, line);) {
    size_t colon = line.find(':');
    if (colon == std::string::npos) {
      if (!values.empty() && trimmed(line).empty()) break;
      continue;
    }
    values.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return values;
}

struct FeatureName {
  char const* kernel;  ///< the word in /proc/cpuinfo
  char const* llvm;
};
// What code generation can use; a flag is listed by the kernel only when the system saves the
// registers it needs, so that a listed flag may be used. (Tiles a process must also ask for.)
constexpr FeatureName kX86Features[] = {
    {"pni", "sse3"},
    {"ssse3", "ssse3"},
    {"sse4_1", "sse4.1"},
    {"sse4_2", "sse4.2"},
    {"popcnt", "popcnt"},
    {"cx16", "cx16"},
    {"lahf_lm", "sahf"},
    {"movbe", "movbe"},
    {"avx", "avx"},
    {"f16c", "f16c"},
    {"fma", "fma"},
    {"avx2", "avx2"},
    {"bmi1", "bmi"},
    {"bmi2", "bmi2"},
    {"abm", "lzcnt"},
    {"avx512f", "avx512f"},
    {"avx512cd", "avx512cd"},
    {"avx512dq", "avx512dq"},
    {"avx512bw", "avx512bw"},
    {"avx512vl", "avx512vl"},
    {"avx512ifma", "avx512ifma"},
    {"avx512vbmi", "avx512vbmi"},
    {"avx512_vbmi2", "avx512vbmi2"},
    {"avx512_vnni", "avx512vnni"},
    {"avx512_bitalg", "avx512bitalg"},
    {"avx512_vpopcntdq", "avx512vpopcntdq"},
    {"avx512_bf16", "avx512bf16"},
    {"avx512_fp16", "avx512fp16"},
    {"avx_vnni", "avxvnni"},
    {"gfni", "gfni"},
    {"amx_tile", "amx-tile"},
    {"amx_int8", "amx-int8"},
    {"amx_bf16", "amx-bf16"},
};

std::set<std::string> words(std::string const& text) {
  std::istringstream stream(text);
  std::set<std::string> found;
  for (std::string word; stream >> word;) found.insert(word);
  return found;
}

struct ModelRange {
  int family, first, last;
  char const* cpu;
};
// AMD: family and model ranges of each core design (AMD Processor Programming References).
constexpr ModelRange kAmdModels[] = {
    {0x17, 0x00, 0x2f, "znver1"}, {0x17, 0x30, 0xff, "znver2"}, {0x19, 0x00, 0x0f, "znver3"},
    {0x19, 0x20, 0x5f, "znver3"}, {0x19, 0x10, 0x1f, "znver4"}, {0x19, 0x60, 0xaf, "znver4"},
    {0x1a, 0x00, 0xff, "znver5"},
};
constexpr ModelRange kIntelModels[] = {
    {6, 0x3c, 0x3c, "haswell"},        {6, 0x3f, 0x3f, "haswell"},
    {6, 0x45, 0x46, "haswell"},        {6, 0x3d, 0x3d, "broadwell"},
    {6, 0x4f, 0x4f, "broadwell"},      {6, 0x4e, 0x4e, "skylake"},
    {6, 0x5e, 0x5e, "skylake"},        {6, 0x8e, 0x8e, "skylake"},
    {6, 0x9e, 0x9e, "skylake"},        {6, 0x55, 0x55, "skylake-avx512"},
    {6, 0x6a, 0x6a, "icelake-server"}, {6, 0x7e, 0x7e, "icelake-client"},
    {6, 0x8c, 0x8d, "tigerlake"},      {6, 0x97, 0x97, "alderlake"},
    {6, 0x9a, 0x9a, "alderlake"},      {6, 0x8f, 0x8f, "sapphirerapids"},
    {6, 0xcf, 0xcf, "emeraldrapids"},
};

template <size_t kCount>
char const* find_model(ModelRange const (&ranges)[kCount], int64_t family, int64_t model) {
  for (ModelRange const& range : ranges) {
    if (range.family == family && range.first <= model && model <= range.last) return range.cpu;
  }
  return nullptr;
}

/// The microarchitecture level, when the exact model is not known to us.
std::string generic_x86(std::set<std::string> const& flags) {
  auto all = [&](std::initializer_list<char const*> names) {
    return std::all_of(names.begin(), names.end(), [&](auto name) { return flags.contains(name); });
  };
  if (all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) return "x86-64-v4";
  if (all({"avx2", "fma", "bmi2", "movbe", "abm"})) return "x86-64-v3";
  return all({"sse4_2", "popcnt", "cx16"}) ? "x86-64-v2" : "x86-64";
}

void describe_x86(std::map<std::string, std::string>& values, Hardware& hardware) {
  std::set<std::string> flags = words(values["flags"]);
  int64_t family = to_number(values["cpu family"], 0), model = to_number(values["model"], 0);
  char const* cpu = nullptr;
  if (values["vendor_id"] == "AuthenticAMD") cpu = find_model(kAmdModels, family, model);
  if (values["vendor_id"] == "GenuineIntel") cpu = find_model(kIntelModels, family, model);
  hardware.code[kProcessor] = cpu ? cpu : generic_x86(flags);
  hardware.name = values["model name"];
  std::string& features = hardware.code[kFeatures];
  for (FeatureName const& feature : kX86Features) {
    // A hypervisor may hide what the model has: say so, else LLVM takes it from the model's name.
    std::string sign = flags.contains(feature.kernel) ? "+" : "-";
    features += (features.empty() ? "" : ",") + sign + feature.llvm;
  }
  bool wide = flags.contains("avx512f") && flags.contains("avx512vl");
  Unit& core = hardware.units.front();
  core.vector_bytes = wide ? 64 : flags.contains("avx2") ? 32 : 16;
  core.vector_registers = wide ? 32 : 16;
}

/// A processor of 32 bits, or one of 64 that runs programs of 32. What it lacks is said, too: LLVM
/// takes NEON for granted there.
void describe_arm32(std::set<std::string> const& flags, Hardware& hardware) {
  bool vectors = flags.contains("neon");
  hardware.code[kFeatures] = vectors ? "+neon" : "-neon";
  hardware.code[kFeatures] += flags.contains("vfpv4") ? ",+vfp4" : ",-vfp4";
  if (flags.contains("idiva")) hardware.code[kFeatures] += ",+hwdiv-arm";
  hardware.units.front().vector_bytes = vectors ? 16 : 8;
  hardware.units.front().vector_registers = 16;
}

void describe_arm(std::map<std::string, std::string>& values, Hardware& hardware) {
  std::set<std::string> flags = words(values["Features"]);
  hardware.name = "ARM processor " + values["CPU part"];
  if (!flags.contains("asimd")) return describe_arm32(flags, hardware);
  std::string& features = hardware.code[kFeatures];
  for (ArmFeature const& feature : kArmFeatures)
    if (flags.contains(feature.kernel))
      features += (features.empty() ? "+" : ",+") + std::string(feature.llvm);
  hardware.units.front().vector_registers = 32;
}

/// "64K", "1024K", "32M".
int64_t parse_size(std::string const& text) {
  int64_t number = std::clamp<int64_t>(to_number(text, 0), 0, int64_t(1) << 30);
  if (text.ends_with('K')) return number << 10;
  return text.ends_with('M') ? number << 20 : number;
}

/// "0-3,8-11" counts 8.
int count_listed(std::string const& list) {
  int64_t count = 0;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    size_t dash = part.find('-');
    int64_t first = to_number(part, 0);
    int64_t last = dash == std::string::npos ? first : to_number(part.substr(dash + 1), first);
    count += std::clamp<int64_t>(last - first + 1, 1, 1 << 16);
  }
  return int(std::clamp<int64_t>(count, 1, 1 << 16));
}

std::vector<MemoryLevel> describe_caches(fs::path const& folder) {
  std::vector<MemoryLevel> caches;
  for (int index = 0; index < 16; ++index) {
    fs::path entry = folder / ("index" + std::to_string(index));
    std::string type = trimmed(read_text(entry / "type"));
    if (type.empty()) break;
    if (type == "Instruction") continue;
    MemoryLevel cache;
    int64_t level = std::clamp<int64_t>(to_number(trimmed(read_text(entry / "level")), 0), 0, 9);
    cache.name = "L" + std::to_string(level);
    cache.bytes = parse_size(trimmed(read_text(entry / "size")));
    cache.line_bytes = int(to_number(trimmed(read_text(entry / "coherency_line_size")), 64));
    cache.shared_by = count_listed(trimmed(read_text(entry / "shared_cpu_list")));
    if (level > 0 && cache.bytes > 0) caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &MemoryLevel::name);
  return caches;
}

#if defined(__aarch64__) || defined(__arm__)
/// The kernel's words for what programs of this size may use.
std::string own_features() {
#if defined(__aarch64__)
  std::string features = "fp";
  for (ArmFeature const& feature : kArmFeatures)
    if (getauxval(feature.word == 1 ? AT_HWCAP : AT_HWCAP2) >> feature.bit & 1)
      features += " " + std::string(feature.kernel);
#else
  unsigned long flags = getauxval(AT_HWCAP);
  std::string features = "vfp";
  if (flags & HWCAP_NEON) features += " neon";
  if (flags & HWCAP_VFPv4) features += " vfpv4";
  if (flags & HWCAP_IDIVA) features += " idiva";
#endif
  return features;
}

/// What the processor can do as the system tells every process. Where /proc/cpuinfo is not ARM's
/// this program runs in an emulator, and that file describes its host.
std::string own_cpuinfo(std::string cpuinfo) {
  if (first_processor(cpuinfo).contains("Features")) return cpuinfo;
  return "Features : " + own_features() + "\nCPU part : (emulated)\n";
}
#else
std::string own_cpuinfo(std::string cpuinfo) { return cpuinfo; }
#endif

}  // namespace

MemoryLevel main_memory(int64_t bytes) { return {.name = "DRAM", .bytes = bytes, .cache = false}; }

namespace {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

#if defined(__arm__)
/// Of this program, which a system of 64 bits may run: kernels are loaded into it. With a vendor:
/// LLVM takes the second word for one, and without the last has another convention of calls.
std::string own_triple() { return "armv7-unknown-linux-gnueabihf"; }
#else
std::string own_triple() {
  utsname system{};
  std::string architecture = uname(&system) == 0 ? system.machine : "x86_64";
  return architecture + "-linux-gnu";
}
#endif

}  // namespace

Hardware describe_processor(std::string_view cpuinfo, fs::path const& cache_folder) {
  auto values = first_processor(cpuinfo);
  Hardware hardware;
  hardware.target = kCpuTarget;
  hardware.name = "unknown processor";
  hardware.code[kProcessor] = "generic";
  if (values.contains("flags")) describe_x86(values, hardware);
  if (values.contains("Features")) describe_arm(values, hardware);
  hardware.memories = describe_caches(cache_folder);
  // A machine that hides its caches gets small ones, so that plans stay cautious.
  if (hardware.memories.empty()) hardware.memories = {{"L1", 32 << 10}, {"L2", 256 << 10}};
  return hardware;
}

Hardware detect_host() {
  Hardware hardware = describe_processor(own_cpuinfo(read_text("/proc/cpuinfo")),
                                         "/sys/devices/system/cpu/cpu0/cache");
  if (!may_use_tiles()) hardware.code[kFeatures] = without_tiles(hardware.code[kFeatures]);
  hardware.code[kTriple] = own_triple();
  hardware.units.front().count = usable_cores();
  hardware.memories.push_back(main_memory(machine_memory_bytes()));
  return hardware;
}

}  // namespace tw
