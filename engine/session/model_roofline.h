/// The kernels of a model side by side below a machine's roofs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/model/model.h"
#include "engine/session/values.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"

namespace tw {
class Backend;
}

namespace tw::session {

/// A kernel of the model, modelled: by rule, and by the same rule with nothing going on beside
/// anything else.
struct LayerPoint {
  int kernel = -1;
  std::string name;  ///< of the kernel
  int count = 1;     ///< how often the model runs it
  double operations = 0;
  RooflinePoint by_rule;
  std::optional<RooflinePoint> serial;  ///< empty: the schedule hides nothing
  double of_peak = 0;                   ///< part of the fastest unit's roof
  std::string missing;                  ///< a sentence instead of points
};

/// Them below the roofs; without roofs or without layers `below.explanation` says why.
struct ModelRoofline {
  RooflineView below;  ///< without a trail
  std::vector<LayerPoint> layers;
};

/// Every kernel of the model by the target's model of time, in the model's order. Errors:
/// cancelled.
Result<std::vector<LayerPoint>> layer_points(LoadedModel const& model, Backend const& backend,
                                             Roofs const& roofs, StopToken stop = {});
/// "12 kernels with default schedules, modelled: 87.0 ms a run; ...".
std::string explanation_of(std::vector<LayerPoint> const& layers);

/// Of a roof's value: "GFLOP/s", "GOP/s", "GB/s". The name of one of arithmetic ends in the type
/// that it is of.
std::string unit_of(RoofView const& roof);
/// The machine's roofs follow from what it is: nothing was measured.
bool has_computed_roofs(MachineView const& machine);

}  // namespace tw::session
