#include "targets/shared/gpu_text/sheet.h"

#include <fmt/format.h>

#include <charconv>

namespace tw::gpu_text {

Hardware hardware_of(Sheet const& sheet, char const* target, char const* block_memory) {
  Hardware gpu{.target = target, .name = sheet.title};
  auto say = [&](char const* word, int number) {
    if (number > 0) gpu.code[word] = std::to_string(number);
  };
  say(kThreads, sheet.threads);
  say(kWarp, sheet.warp);
  say(kLanes, sheet.lanes);
  say(kMegahertz, sheet.megahertz);
  say(kGigabytes, sheet.gigabytes_per_second);
  if (sheet.block_in_cache) gpu.code[kBlockMemory] = "cache";
  gpu.units = {{.name = sheet.unit, .count = sheet.units}};
  gpu.memories = {{.name = block_memory, .bytes = int64_t(sheet.block_kib) << 10, .cache = false},
                  {.name = "DRAM", .shared_by = sheet.units, .cache = false}};
  return gpu;
}

std::vector<std::string> spellings_of(std::span<Sheet const> sheets, std::string const& target) {
  std::vector<std::string> names;
  for (Sheet const& sheet : sheets) names.push_back(fmt::format("{}:{}", target, sheet.name));
  return names;
}

Result<Sheet> sheet_named(std::span<Sheet const> sheets, std::string const& spelling) {
  std::string wanted = spelling.substr(spelling.find(':') + 1), names;
  for (Sheet const& sheet : sheets) {
    if (sheet.name == wanted) return sheet;
    names += (names.empty() ? "" : ", ") + std::string(sheet.name);
  }
  return bad_input("unknown_target", fmt::format("no GPU '{}' is described; there are {}",
                                                 wanted.substr(0, 80), names));
}

int64_t number_of(Hardware const& hardware, char const* word) {
  std::string text = hardware.word(word);
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number > 0 ? number : 0;
}

std::optional<Roofs> roofs_of(Hardware const& hardware) {
  int64_t lanes = number_of(hardware, kLanes), clock = number_of(hardware, kMegahertz),
          gigabytes = number_of(hardware, kGigabytes);
  if (lanes == 0 || clock == 0 || gigabytes == 0) return std::nullopt;
  auto rate = [](double one, double all) { return Rate{.one_core = one, .all_cores = all}; };
  double one = 2e-3 * double(lanes) * double(clock), memory = double(gigabytes);
  Roofs roofs;
  roofs.compute = {{"FMA f32", "vector", "f32", rate(one, one * hardware.unit().count)}};
  roofs.memory = {{.name = "DRAM",
                   .working_set = 0,
                   .load = rate(memory, memory),
                   .triad = rate(memory, memory)}};
  return roofs;
}

}  // namespace tw::gpu_text
