/// How the values of a constant tensor lie: their bounds, mean and spread, and a histogram.
#pragma once

#include "engine/session/inspector.h"
#include "engine/support/base/job.h"
#include "engine/tensor/ndarray.h"

namespace tw::session {

/// At most so many bins; fewer where there are fewer whole numbers than that.
inline constexpr int kMostBins = 32;

/// Stopped, it is of what was seen until then.
ValueStatistics statistics_of(NDArray const& values, StopToken stop = {});

}  // namespace tw::session
