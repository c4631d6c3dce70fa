#include "engine/learning/tree_gru/gru_loss.h"

#include <cmath>

namespace tw::gru {
namespace {

double squared(std::span<double const> predicted, std::span<double const> targets,
               std::vector<double>& slopes) {
  double sum = 0, count = double(predicted.size());
  for (size_t i = 0; i < predicted.size(); ++i) {
    double error = predicted[i] - targets[i];
    sum += error * error / 2;
    slopes[i] = error / count;
  }
  return sum / count;
}

/// log(1 + exp(x)), also for large ones.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double by_pairs(std::span<double const> predicted, std::span<double const> targets,
                std::span<int const> groups, std::vector<double>& slopes) {
  double sum = 0, pairs = 0;
  for (size_t better = 0; better < predicted.size(); ++better)
    for (size_t worse = 0; worse < predicted.size(); ++worse) {
      bool together = groups.empty() || groups[better] == groups[worse];
      if (!together || !(targets[better] > targets[worse])) continue;
      double behind = predicted[worse] - predicted[better];
      double slope = 1 / (1 + std::exp(-behind));
      sum += softplus(behind);
      slopes[worse] += slope;
      slopes[better] -= slope;
      ++pairs;
    }
  if (pairs == 0) return 0;
  for (double& slope : slopes) slope /= pairs;
  return sum / pairs;
}

}  // namespace

double loss_of(Objective objective, std::span<double const> predicted,
               std::span<double const> targets, std::span<int const> groups,
               std::vector<double>& slopes) {
  slopes.assign(predicted.size(), 0);
  if (predicted.empty()) return 0;
  return objective == Objective::kRegression ? squared(predicted, targets, slopes)
                                             : by_pairs(predicted, targets, groups, slopes);
}

}  // namespace tw::gru
