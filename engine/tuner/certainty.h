/// Whether one of two is faster, of times that were measured beside each other: what is said of a
/// median must hold for another set of samples, too.
#pragma once

#include <vector>

namespace tw {

/// A gain that is worth a claim: less is noise, or gone with the next build.
inline constexpr double kLeastGain = 0.01;

/// What the median of all such samples is at most, in 199 of 200 cases; infinite where there are
/// too few. By the order of the samples alone: times have long tails.
double upper_median(std::vector<double> samples);

/// Of ratios of times, new to old, one for each round: the new one is faster, and by more than
/// noise. Where every round says the same, as simulators do, any gain is one.
bool is_certainly_faster(std::vector<double> const& ratios);

}  // namespace tw
