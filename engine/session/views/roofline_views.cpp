// Modelled times as values: a point over all memory levels, and what bounds it in words.
#include <fmt/format.h>

#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {

RooflinePoint roofline_point(analysis::TimeModel const& model, double flops) {
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
  auto add = [&](std::string const& name, double seconds) {
    if (name == model.bound || seconds <= 0) return;
    others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name, duration_text(seconds));
  };
  add("arithmetic", model.arithmetic_seconds);
  for (analysis::LevelTraffic const& level : model.levels) add(level.name, level.seconds);
  bool arithmetic = model.bound == "arithmetic";
  return fmt::format("Modelled: {} bounds this step, {}{}{}.",
                     arithmetic ? "arithmetic" : "traffic with " + model.bound,
                     duration_text(model.seconds), others.empty() ? "" : "; ", others);
}

std::string explanation_of(KernelRoofView const& roof) {
  return fmt::format("This kernel moves {} and computes nothing: its data fits in {}, {} at best.",
                     bytes_text(roof.bytes), roof.level, milliseconds_text(roof.ms));
}

}  // namespace tw::session
