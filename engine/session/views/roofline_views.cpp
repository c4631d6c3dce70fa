// Modelled times as values: a point over all memory levels, and what bounds it in words.
#include <fmt/format.h>

#include <algorithm>

#include "engine/analysis/counted_operations.h"
#include "engine/backend/target_table.h"
#include "engine/session/model_roofline.h"
#include "engine/session/views/roofline_views.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {

double operations_of(analysis::TimeModel const& model, double flops) {
  return flops > 0 ? flops : model.flops;
}

RooflinePoint roofline_point(analysis::TimeModel const& model, double flops) {
  flops = operations_of(model, flops);
  RooflinePoint point;
  point.measured = false;
  point.model_ms = model.seconds * 1e3;
  point.gflops = flops / model.seconds * 1e-9;
  for (analysis::LevelTraffic const& level : model.levels)
    point.levels.push_back(
        {level.name, level.bytes > 0 ? flops / level.bytes : 0, level.bytes, level.seconds * 1e3});
  if (!point.levels.empty()) point.intensity = point.levels.back().intensity;
  return point;
}

std::string explanation_of(analysis::TimeModel const& model) {
  std::string others;
  // Blocks follow one another, and another thing may bound each: then the bound is part of it.
  bool is_part = false;
  auto add = [&](std::string const& name, double seconds) {
    is_part = is_part || (name == model.bound && seconds < 0.995 * model.seconds);
    if ((name == model.bound && !is_part) || seconds <= 0) return;
    others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name, duration_text(seconds));
  };
  add("arithmetic", model.arithmetic_seconds);
  for (analysis::LevelTraffic const& level : model.levels) add(level.name, level.seconds);
  bool traffic = std::ranges::any_of(
      model.levels, [&](analysis::LevelTraffic const& level) { return level.name == model.bound; });
  return fmt::format(
      "Bottleneck of {}this step, modelled: {}, {}{}{}{}.", is_part ? "most of " : "",
      traffic ? "traffic with " + model.bound : model.bound, duration_text(model.seconds),
      is_part ? " in all" : "", others.empty() ? "" : "; ", others);
}

std::string explanation_of(KernelRoofView const& roof) {
  return fmt::format("This kernel moves {} and computes nothing: its data fits in {}, {} at best.",
                     bytes_text(roof.bytes), roof.level, milliseconds_text(roof.ms));
}

std::string unit_of(RoofView const& roof) {
  if (!roof.compute) return "GB/s";
  std::string kind = roof.name.substr(0, roof.name.find(','));
  return analysis::arithmetic_unit(kind.substr(kind.rfind(' ') + 1));
}

bool has_computed_roofs(MachineView const& machine) {
  return machine.hardware && computed_roofs(*machine.hardware);
}

std::string explanation_of(std::vector<LayerPoint> const& layers) {
  int placed = 0, hiding = 0;
  double ms = 0, hidden_ms = 0, in_turn_ms = 0;
  for (LayerPoint const& one : layers) {
    if (!one.missing.empty()) continue;
    ++placed;
    ms += one.count * one.by_rule.model_ms;
    if (!one.serial) continue;
    ++hiding;
    hidden_ms += one.count * one.by_rule.model_ms;
    in_turn_ms += one.count * one.serial->model_ms;
  }
  if (placed == 0)
    return layers.empty() ? "The model has no kernels."
                          : "No kernel has a modelled time here: " + layers.front().missing;
  std::string text = fmt::format("{} with default schedules, modelled: {} a run",
                                 count_text(placed, "kernel"), milliseconds_text(ms));
  if (hiding > 0)
    text += fmt::format("; the small circles: {} of them without hiding latency, {} instead of {}",
                        hiding, milliseconds_text(in_turn_ms), milliseconds_text(hidden_ms));
  if (size_t(placed) < layers.size())
    text += fmt::format("; {} without a point", int(layers.size()) - placed);
  return text + ".";
}

}  // namespace tw::session
