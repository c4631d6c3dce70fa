#include "targets/vta/commands/shared/design_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "engine/support/chart.h"

namespace tw::vta {
namespace {

double milliseconds_of(DesignCycles const& design) {
  return design.cycles / design.configuration.clock_mhz * 1e-3;
}

std::string row_of(DesignCycles const& design) {
  Configuration const& c = design.configuration;
  return fmt::format("{} {:<28} {:>5} {:>9} {:>9} {:>13.0f} {:>9}\n", design.front ? '*' : ' ',
                     c.key(), c.memory_bits, c.macs_per_cycle(), bytes_text(double(design.sram)),
                     design.cycles, milliseconds_text(milliseconds_of(design)));
}

int64_t complete_count(Exploration const& all) {
  return std::ranges::count_if(all.designs, &DesignCycles::complete);
}

/// The first layer that does not fit.
std::string reason_of(DesignCycles const& design, Exploration const& all) {
  for (size_t i = 0; i < design.layers.size(); ++i)
    if (!design.layers[i].reason.empty())
      return fmt::format("{}: {}", all.layers[i].name, design.layers[i].reason);
  return {};
}

std::string incomplete_text(Exploration const& all, int64_t most) {
  int64_t count = int64_t(all.designs.size()) - complete_count(all);
  if (count == 0) return {};
  std::string text = fmt::format("\n{} cannot run all layers\n", count_text(count, "design"));
  for (DesignCycles const& design : all.designs) {
    if (design.complete) continue;
    if (most-- <= 0) return text + "  ...\n";
    text += fmt::format("  {}: {}\n", design.configuration.key(), reason_of(design, all));
  }
  return text;
}

std::vector<DesignCycles> complete_ones(Exploration const& all) {
  return {all.designs.begin(), all.designs.begin() + complete_count(all)};
}

/// Of a value between two others, a place of `count`.
size_t place_of(double value, double least, double most, size_t count) {
  if (most <= least) return 0;
  double share = std::log(value / least) / std::log(most / least);
  return std::min(count - 1, size_t(share * double(count)));
}

}  // namespace

std::string design_table(Exploration const& all, int64_t most) {
  std::string text;
  for (LayerCycles const& layer : all.unfit)
    text += fmt::format("left out, no design runs it: {}\n", layer.reason);
  text += fmt::format("  {:<28} {:>5} {:>9} {:>9} {:>13} {:>9}\n", "design", "port", "products",
                      "SRAM", "cycles", "time");
  int64_t left_out = 0, shown = 0;
  for (DesignCycles const& design : complete_ones(all)) {
    bool shows = design.front || shown < most;
    shown += shows;
    left_out += !shows;
    if (shows) text += row_of(design);
  }
  if (left_out > 0)
    text += fmt::format("  {} more; --top shows more\n", count_text(left_out, "design"));
  return text + incomplete_text(all, most);
}

std::string letter_chart(Exploration const& all) {
  constexpr size_t kColumns = 64, kRows = 16;
  std::vector<DesignCycles> designs = complete_ones(all);
  if (designs.size() < 2) return {};  // a point alone shows nothing
  auto [small, large] = std::ranges::minmax(designs, {}, &DesignCycles::sram);
  double fast = designs.front().cycles, slow = designs.back().cycles;
  std::vector<std::string> rows(kRows, std::string(kColumns, ' '));
  for (DesignCycles const& design : designs) {
    size_t row = kRows - 1 - place_of(design.cycles, fast, slow, kRows);
    size_t column = place_of(double(design.sram), double(small.sram), double(large.sram), kColumns);
    char& letter = rows[row][column];
    if (letter != 'o') letter = design.front ? 'o' : '.';
  }
  std::string text;
  for (size_t r = 0; r < kRows; ++r)
    text += fmt::format("{:>10} |{}\n",
                        r == 0           ? fmt::format("{} c", many_text(slow))
                        : r + 1 == kRows ? fmt::format("{} c", many_text(fast))
                                         : "",
                        rows[r]);
  std::string left = bytes_text(double(small.sram)), right = bytes_text(double(large.sram));
  text += fmt::format("{:>10} +{}\n", "", std::string(kColumns, '-'));
  return text + fmt::format("{:>10}  {:<{}}{}\n", "", left, kColumns - right.size(), right);
}

std::string picture_of(Exploration const& all, std::string const& what) {
  std::vector<DesignCycles> designs = complete_ones(all);
  if (designs.empty()) return {};
  ScatterChart chart{
      .title = fmt::format("{} designs of the accelerator", designs.size()),
      .sentence = fmt::format("{}: cycles for an image against bytes of memory on the "
                              "chip; nothing beats the joined ones",
                              what),
      .x_label = "KB of SRAM",
      .y_label = "cycles",
      .points = {}};
  for (DesignCycles const& design : designs)
    chart.points.push_back({double(design.sram) / 1024, design.cycles,
                            fmt::format("{}: {:.0f} cycles, {}", design.configuration.key(),
                                        design.cycles, bytes_text(double(design.sram))),
                            design.front});
  return to_svg(chart);
}

Json to_json(Exploration const& all) {
  Json layers = Json::array(), designs = Json::array(), unfit = Json::array();
  for (Exploration::Layer const& layer : all.layers)
    layers.push_back({{"name", layer.name}, {"times", layer.times}});
  for (LayerCycles const& layer : all.unfit) unfit.push_back(layer.reason);
  for (DesignCycles const& design : all.designs) {
    Json cycles = Json::array();
    for (LayerCycles const& layer : design.layers)
      cycles.push_back(layer.reason.empty() ? Json(layer.cycles) : Json(layer.reason));
    Configuration const& c = design.configuration;
    designs.push_back({{"design", c.key()},
                       {"memory_bits", c.memory_bits},
                       {"products_a_cycle", c.macs_per_cycle()},
                       {"sram_bytes", design.sram},
                       {"complete", design.complete},
                       {"cycles", design.cycles},
                       {"ms", milliseconds_of(design)},
                       {"front", design.front},
                       {"layers", cycles}});
  }
  return {{"layers", layers}, {"designs", designs}, {"left_out", unfit}};
}

}  // namespace tw::vta
