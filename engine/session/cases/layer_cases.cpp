// The kernels of a model side by side under the roofs.
#include "engine/analysis/counted_operations.h"
#include "engine/backend/target_table.h"
#include "engine/compile/kernel_code.h"
#include "engine/compile/modelled_time.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/model_roofline.h"
#include "engine/session/views/roofline_views.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

/// Seconds 0: the target has no model of it.
analysis::TimeModel modelled(Schedule const& schedule, Backend const& backend, Roofs const& roofs) {
  return modelled_time(schedule.program(), backend, roofs).value_or(analysis::TimeModel{});
}

std::string why_no_time(Schedule const& schedule, Backend const& backend) {
  auto code = emit_kernel(schedule.program(), backend, CodeTier::kFast);
  return code ? "the target has no model of its time" : code.error().message;
}

void take_points(LayerPoint& layer, ir::Program const& plain, double flops, Backend const& backend,
                 Roofs const& roofs) {
  auto by_rule = backend.default_schedule(plain);
  if (!by_rule) {
    layer.missing = by_rule.error().message;
    return;
  }
  analysis::TimeModel model = modelled(*by_rule, backend, roofs);
  layer.operations = operations_of(model, flops);
  if (model.seconds <= 0) layer.missing = why_no_time(*by_rule, backend);
  if (model.seconds > 0 && layer.operations <= 0) layer.missing = "it moves data alone";
  if (!layer.missing.empty()) return;
  layer.by_rule = roofline_point(model, flops);
  double peak = roofs.best(analysis::counted_type(roofs)).all_cores;
  if (peak > 0) layer.of_peak = layer.by_rule.gflops / peak;
  auto serial = schedule_in_turn(plain, backend);
  if (!serial) return;
  analysis::TimeModel slower = modelled(*serial, backend, roofs);
  if (slower.seconds > 0) layer.serial = roofline_point(slower, flops);
}

}  // namespace

Result<std::vector<LayerPoint>> layer_points(LoadedModel const& model, Backend const& backend,
                                             Roofs const& roofs, StopToken stop) {
  std::vector<LayerPoint> layers;
  for (int kernel = 0; kernel < int(model.plan.kernels.size()); ++kernel) {
    if (stop.stop_requested()) return refused("cancelled", "the kernels' points were cancelled");
    KernelTask const& task = model.kernel(kernel);
    LayerPoint layer;
    layer.kernel = kernel;
    layer.name = task.name;
    layer.count = task.count;
    if (auto plain = plain_program(model, kernel))
      take_points(layer, *plain, double(task.flops), backend, roofs);
    else
      layer.missing = plain.error().message;
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace tw::session
