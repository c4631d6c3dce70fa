#include "engine/tuner/study/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tw {
namespace {

constexpr double kErrors = 2, kLeastPoints = 0.1;

struct Mean {
  double value = 0, deviation = 0;
};

Mean mean_of(std::vector<double> const& values) {
  Mean mean;
  mean.value = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
  for (double one : values) mean.deviation += (one - mean.value) * (one - mean.value);
  if (values.size() > 1) mean.deviation = std::sqrt(mean.deviation / double(values.size() - 1));
  return mean;
}

/// Of each seed, the mean over all trials.
Mean score_of(Curve const& curve, int trials, int times) {
  std::vector<double> scores;
  for (Replayed const& run : curve.runs)
    scores.push_back(mean_of(speeds_of(run, curve.best, trials, times)).value);
  return mean_of(scores);
}

bool is_more(double points, double error) {
  return points > kErrors * error && points > kLeastPoints;
}

std::string tables(int count) { return count == 0 ? "none" : fmt::format("{}", count); }

}  // namespace

std::vector<double> speeds_of(Replayed const& run, double best, int trials, int times) {
  std::vector<double> speeds;
  for (size_t trial = 1; trial <= size_t(trials); ++trial) {
    size_t last = std::min(trial * size_t(times), run.best.size());  // a converged run stays
    double reached = last == 0 ? 0 : run.best[last - 1];
    speeds.push_back(reached > 0 ? best / reached : 0);
  }
  return speeds;
}

Band band_of(Curve const& curve, int trials, int times) {
  std::vector<std::vector<double>> runs;
  for (Replayed const& run : curve.runs) runs.push_back(speeds_of(run, curve.best, trials, times));
  Band band;
  for (size_t trial = 0; trial < size_t(trials); ++trial) {
    std::vector<double> speeds;
    for (std::vector<double> const& run : runs) speeds.push_back(run[trial]);
    Mean mean = mean_of(speeds);
    band.mean.push_back(mean.value);
    band.low.push_back(mean.value - mean.deviation / 2);
    band.high.push_back(std::min(1.0, mean.value + mean.deviation / 2));
  }
  return band;
}

std::optional<int> trials_to_speed(Curve const& curve, double speed, int trials) {
  std::vector<double> mean = band_of(curve, trials).mean;
  auto there = std::ranges::find_if(mean, [&](double one) { return one >= speed - 1e-12; });
  if (there == mean.end()) return {};
  return int(there - mean.begin()) + 1;
}

bool Versus::is_ahead() const { return is_more(points, error); }
bool Versus::is_behind() const { return is_more(-points, error); }

Versus versus(std::vector<Curve> const& one, std::vector<Curve> const& other, int trials,
              int times) {
  Versus all;
  double squares = 0, count = double(one.size());
  for (size_t table = 0; table < one.size(); ++table) {
    Mean a = score_of(one[table], trials, 1), b = score_of(other[table], trials, times);
    double points = 100 * (a.value - b.value);
    double square = 1e4 * (a.deviation * a.deviation / double(one[table].runs.size()) +
                           b.deviation * b.deviation / double(other[table].runs.size()));
    bool ahead = is_more(points, std::sqrt(square)), behind = is_more(-points, std::sqrt(square));
    all.ahead += ahead, all.behind += behind, all.level += !ahead && !behind;
    all.points += points / count;
    squares += square;
  }
  all.error = std::sqrt(squares) / count;
  return all;
}

std::string words_of(Versus const& versus) {
  std::string how = versus.is_ahead() ? "ahead" : versus.is_behind() ? "behind" : "level";
  return fmt::format("{} ({:+.1f} points, error {:.1f}; ahead on {}, behind on {} of {} tables)",
                     how, versus.points, versus.error, tables(versus.ahead), tables(versus.behind),
                     versus.ahead + versus.level + versus.behind);
}

}  // namespace tw
