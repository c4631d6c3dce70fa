#include "targets/vta/explore/explore.h"

#include <fmt/format.h>

#include <bit>
#include <chrono>

#include "engine/support/base/quantities.h"
#include "engine/support/files.h"
#include "targets/vta/commands/shared/board_option.h"
#include "targets/vta/commands/shared/design_table.h"
#include "targets/vta/commands/shared/workload_files.h"
#include "targets/vta/explore/space.h"
#include "targets/vta/hardware/words.h"

namespace tw::vta::vta_command_explore {
namespace {

/// An option that takes several values of a setting.
struct Choice {
  char const* name;
  char const* preset;
  char const* doc;
  std::vector<int> DesignSpace::*values;
  int64_t unit;  ///< a value's logarithm counts, of so many times the number; 0: the number itself
};
constexpr Choice kChoices[] = {
    {"--block", "8,16,32", "channels in a block", &DesignSpace::log_block, 1},
    {"--batch", "1,2,4", "images in a block", &DesignSpace::log_batch, 1},
    {"--inp", "16,32,64", "KB of the memory of data", &DesignSpace::log_inp_bytes, 1024},
    {"--wgt", "64,128,256", "KB of the memory of weights", &DesignSpace::log_wgt_bytes, 1024},
    {"--acc", "64,128,256", "KB of the memory of sums", &DesignSpace::log_acc_bytes, 1024},
    {"--uop", "32", "KB of the memory of micro-ops", &DesignSpace::log_uop_bytes, 1024},
    {"--port", "64", "bits of the port to main memory", &DesignSpace::memory_bits, 0},
    {"--isa", "1", "versions of the instruction set", &DesignSpace::isa, 0},
};

/// "8,16,32". Errors: bad_choice.
Result<std::vector<int>> values_of(Choice const& choice, std::string const& text) {
  std::vector<int> values;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    auto number = whole_number(std::string_view(text).substr(begin, end - begin));
    bool right = number && *number >= 1 && *number <= (1 << 20);
    bool power = right && std::has_single_bit(*number);
    if (!right || (choice.unit > 0 && !power))
      return bad_input("bad_choice",
                       fmt::format("{} takes {} with commas between them, as in {}, not '{}'",
                                   choice.name, choice.unit > 0 ? "powers of two" : "whole numbers",
                                   choice.preset, text.substr(0, 80)));
    values.push_back(choice.unit > 0 ? std::countr_zero(uint64_t(*number) * uint64_t(choice.unit))
                                     : int(*number));
    begin = end + 1;
  }
  return values;
}

Result<DesignSpace> space_of(CommandArguments const& arguments) {
  DesignSpace space;
  TRY_ASSIGN(space.base, board_of(arguments.text(kBoardOption)));
  for (Choice const& choice : kChoices) {
    TRY_ASSIGN(space.*(choice.values),
               values_of(choice, arguments.text(choice.name, choice.preset)));
  }
  space.most_sram = arguments.number("--sram-max", 0) * 1024;
  space.most_products = arguments.number("--products-max", 0);
  return space;
}

std::string names_of(std::vector<Exploration::Layer> const& layers) {
  constexpr size_t kMostNamed = 12;
  if (layers.size() > kMostNamed) return count_text(int64_t(layers.size()), "layer");
  std::string text;
  for (Exploration::Layer const& layer : layers)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", layer.name,
                        layer.times > 1 ? fmt::format(" x {}", layer.times) : "");
  return text;
}

std::string head_of(Designs const& designs, Exploration const& all, double seconds) {
  std::string beyond =
      designs.too_large > 0 ? fmt::format(", {} beyond the bounds", designs.too_large) : "";
  return fmt::format("{} ({} more cannot be built{}), {}; {} a minute\n{}\n\n",
                     count_text(int64_t(all.designs.size()), "design"), designs.illegal, beyond,
                     duration_text(seconds),
                     many_text(double(all.designs.size()) * 60 / std::max(seconds, 1e-3)),
                     names_of(all.layers));
}

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken stop,
                           Progress const& progress) {
  TRY_ASSIGN(DesignSpace space, space_of(arguments));
  TRY_ASSIGN(Designs designs, designs_in(space));
  std::vector<std::string> sources = arguments.all("MODEL");
  auto begin = std::chrono::steady_clock::now();
  TRY_ASSIGN(Exploration all,
             explore(designs.legal, sources.empty() ? resnet18_workload : workload_of(sources),
                     {.threads = int(arguments.number("--threads", 0))}, stop, progress));
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::string what = sources.empty() ? "ten convolutions of ResNet-18"
                                     : fmt::format("{}", fmt::join(sources, ", "));
  if (std::string file = arguments.text("--svg"); !file.empty()) {
    std::string picture = picture_of(all, what);
    if (picture.empty()) return refused("nothing_fits", "no design runs all layers: no picture");
    TRY(write_output(file, picture));
  }
  CommandOutcome outcome;
  std::string chart = letter_chart(all);
  outcome.text = head_of(designs, all, seconds) + design_table(all, arguments.number("--top", 20)) +
                 (chart.empty() ? "" : "\n" + chart);
  outcome.json = to_json(all);
  outcome.json["illegal"] = designs.illegal;
  outcome.json["too_large"] = designs.too_large;
  outcome.json["seconds"] = seconds;
  return outcome;
}

CommandParameter number(char const* name, char const* doc, int64_t high) {
  return {.name = name,
          .type = "N",
          .doc = doc,
          .kind = ParameterKind::kNumber,
          .low = 0,
          .high = high};
}

std::vector<CommandParameter> parameters() {
  std::vector<CommandParameter> all = {
      {.name = "MODEL",
       .type = "",
       .doc = "what the designs run: .te files, and models of bytes, whose convolutions count "
              "(default: ten convolutions of ResNet-18)",
       .kind = ParameterKind::kTexts}};
  for (Choice const& choice : kChoices)
    all.push_back({.name = choice.name,
                   .type = "N,...",
                   .doc = fmt::format("{} (default: {})", choice.doc, choice.preset)});
  all.push_back(number("--sram-max", "leave out designs with more KB of all memories", 1 << 20));
  all.push_back(number("--products-max", "leave out designs with more products a cycle", 1 << 24));
  all.push_back(
      board_parameter("what the other settings are, the clock above all (default: pynq)"));
  all.push_back(number("--top", "how many rows are shown (default: 20)", 1 << 20));
  all.push_back({.name = "--svg", .type = "FILE", .doc = "write the chart to this file"});
  all.push_back(
      number("--threads", "how many designs are looked at at once (default: one a core)", 1024));
  return all;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 80,
      .name = "explore",
      .doc =
          "compare designs of the accelerator: cycles of a network's convolutions, with default "
          "schedules and on the timing model, against bytes of memory on the chip; * is what "
          "nothing beats in both",
      .parameters = parameters(),
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_explore
