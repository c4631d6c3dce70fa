/// How long one design takes for one layer, without running it.
#pragma once

#include <memory>

#include "engine/backend/backend.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

class LayerMachine {
public:
  /// Errors: illegal_configuration.
  static Result<LayerMachine> create(Configuration const& configuration);

  /// Of a plain program under the schedule by rule, on the timing model; what is computed from
  /// parameters alone is done before. Errors: those of lowering and of the runtime, which say what
  /// does not fit.
  Result<double> cycles(ir::Program const& plain) const;

private:
  LayerMachine(Configuration const& configuration, std::shared_ptr<Backend const> backend)
      : configuration_(configuration), backend_(std::move(backend)) {}

  Configuration configuration_;
  std::shared_ptr<Backend const> backend_;
};

}  // namespace tw::vta
