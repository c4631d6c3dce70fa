/// What a search maximizes when a model also says how sure it is: section 3.3, "Uncertainty
/// Estimator", of "Learning to Optimize Tensor Programs" (Chen et al. 2018), which found no gain
/// over the mean alone (section 6.1). Higher values are better.
#pragma once

namespace tw {

/// How much a value of this mean and standard deviation (0 or more) is expected to be above `best`,
/// if it is normally distributed. At least 0.
double expected_improvement(double mean, double deviation, double best);

/// The mean and `deviations` standard deviations more.
double upper_confidence_bound(double mean, double deviation, double deviations);

}  // namespace tw
