// The switches of lowering for every program, also one that has no options for them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ranges>

#include "engine/ir/text.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

std::string value_of(char const* name) {
  char const* value = std::getenv(name);
  return value ? value : "";
}

bool is_on(char const* name) {
  std::string value = value_of(name);
  return !value.empty() && value != "0";
}

std::vector<std::string> list_of(char const* name) {
  std::vector<std::string> words;
  for (auto word : std::views::split(value_of(name), ','))
    if (!word.empty()) words.emplace_back(word.begin(), word.end());
  return words;
}

/// A line that begins with '#' is a comment: what is written can be read back as kernels.
void report(LoweredStage const& stage, std::vector<std::string> const& dump_after, bool times) {
  std::string const& function = stage.kernel.host.name;
  std::string text;
  if (times)
    text = fmt::format("# {}: {} {}\n", function, stage.name,
                       stage.ran ? fmt::format("{:.3f} ms", stage.milliseconds) : "left out");
  auto asked = [&](std::string const& key) {
    return pass_called(key) == stage.name || key == "all";
  };
  if (std::ranges::any_of(dump_after, asked))
    text += fmt::format("# {} after {}\n{}", function, stage.name, ir::print(stage.kernel).text);
  std::fputs(text.c_str(), stderr);
}

LowerOptions read_environment() {
  LowerOptions options;
  options.off = list_of("TW_PASSES_OFF");
  if (is_on("TW_VERIFY_PASSES")) options.verify = VerifyPasses::kEach;
  std::vector<std::string> dump_after = list_of("TW_DUMP_AFTER");
  bool times = is_on("TW_TIME_PASSES");
  if (!dump_after.empty() || times)
    options.observe = [dump_after, times](LoweredStage const& stage) {
      report(stage, dump_after, times);
    };
  return options;
}

}  // namespace

LowerOptions const& environment_lower_options() {
  static LowerOptions const options = read_environment();
  return options;
}

}  // namespace tw
