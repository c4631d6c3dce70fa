/// Runs of one search with different seeds, as a curve with a band, and two of them compared.
#pragma once

#include "engine/tuner/study/replay.h"

namespace tw {

struct Curve {
  std::string arm;             ///< how the search was made
  std::vector<Replayed> runs;  ///< one a seed
  double best = 0;             ///< of the table, in seconds
};

/// The speed that was reached after each of `trials` trials, as a share of that of the table's
/// best: 0 before something was right. With `times` of 2 the run is given twice the trials.
std::vector<double> speeds_of(Replayed const& run, double best, int trials, int times = 1);

/// Over the seeds: the mean, and half a standard deviation around it.
struct Band {
  std::vector<double> mean, low, high;
};
Band band_of(Curve const& curve, int trials, int times = 1);
/// The first trial after which the mean is at least `speed`; nothing: it never is.
std::optional<int> trials_to_speed(Curve const& curve, double speed, int trials);

/// How far one arm is ahead of another one: the speed that it has reached, the mean over all
/// trials and seeds of each table, then over tables.
struct Versus {
  int ahead = 0, level = 0, behind = 0;  ///< tables
  double points = 0;                     ///< hundredths of the best's speed; below 0: behind
  double error = 0;                      ///< standard one
  /// More than two errors, and more than a tenth of a point.
  bool is_ahead() const;
  bool is_behind() const;
};
/// Curves of the same tables, in one order. `times`: what the others are given more of.
Versus versus(std::vector<Curve> const& one, std::vector<Curve> const& other, int trials,
              int times = 1);
/// "ahead (+2.1 points, error 0.3; ahead on 4, behind on none of 5 tables)"
std::string words_of(Versus const& versus);

}  // namespace tw
