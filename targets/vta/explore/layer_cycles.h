/// How long one design takes for one layer, without running it.
#pragma once

#include <memory>

#include "engine/backend/backend.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// What a layer takes on one design. A design that differs in the sizes of INP, WGT and ACC alone,
/// and has no more of them but as much as is used here, takes the same: its tiles are some of
/// these, and the best of these is among them.
struct LayerRun {
  double cycles = 0;
  int64_t inp = 0, wgt = 0, acc = 0;  ///< elements that are used
};

class LayerMachine {
public:
  /// Errors: illegal_configuration.
  static Result<LayerMachine> create(Configuration const& configuration);

  Configuration const& configuration() const { return configuration_; }
  /// A plain program under the schedule by rule, on the timing model; what is computed from
  /// parameters alone is done before. Errors: unfit_layer, which says why there is no schedule;
  /// those of lowering and of the runtime.
  Result<LayerRun> run(ir::Program const& plain) const;

private:
  std::string why_unscheduled(ir::Program const& plain) const;
  LayerMachine(Configuration const& configuration, std::shared_ptr<Backend const> backend)
      : configuration_(configuration), backend_(std::move(backend)) {}

  Configuration configuration_;
  std::shared_ptr<Backend const> backend_;
};

}  // namespace tw::vta
