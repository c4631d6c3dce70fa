/// What a roofline counts.
#pragma once

#include "engine/analysis/time_model.h"

namespace tw::session {

/// Floating-point operations of a kernel; where it has none, those that the target's model counts.
double operations_of(analysis::TimeModel const& model, double flops);

}  // namespace tw::session
