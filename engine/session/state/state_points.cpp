#include "engine/session/state/state_points.h"

#include <fmt/format.h>

#include "engine/session/views/roofline_views.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {

std::optional<RooflinePoint> point_of(State const& state, int kernel, int node) {
  KernelWork const& work = state.kernels.at(kernel);
  auto known = work.models.find(node);
  if (known == work.models.end() || known->second->seconds <= 0) return std::nullopt;
  auto flops = double(state.model->kernel(kernel).flops);
  analysis::TimeModel const& model = *known->second;
  double operations = operations_of(model, flops);
  if (operations <= 0) return std::nullopt;
  HistoryNode const& entry = work.history.node(node);
  RooflinePoint point = roofline_point(model, flops);
  point.history_node = node;
  auto const& measured = entry.on(state.here).measured;
  point.measured = measured.has_value();
  if (measured) point.gflops = operations / measured->min_ms * 1e-6;
  point.label = fmt::format("{} {}", entry.label, number_text(point.gflops));
  point.current = node == work.history.current();
  return point;
}

}  // namespace tw::session
