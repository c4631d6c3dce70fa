#include "engine/tuner/budget_shares.h"

#include <algorithm>
#include <cmath>

namespace tw {
namespace {

/// Of a kernel that nobody searched yet: the share of its time that the first slice gains. Each
/// slice that finds nothing halves the hope.
constexpr double kFirstHope = 0.2;
/// What a slice gained says this much about the next one.
constexpr double kGoesOn = 0.5;

}  // namespace

BudgetShares::BudgetShares(std::vector<double> const& seconds) {
  for (double one : seconds) kernels_.push_back({.seconds = one});
}

double BudgetShares::expected(Kernel const& kernel) const {
  double searched = 0, cost = 0;
  for (Kernel const& one : kernels_)
    if (one.slices > 0) ++searched, cost += one.cost;
  double usual_cost = searched > 0 ? cost / searched : 1;
  double share = std::max(kernel.lately, kFirstHope * std::exp2(-kernel.slices));
  return kernel.seconds * kernel.ratio * share / (kernel.slices > 0 ? kernel.cost : usual_cost);
}

std::optional<int> BudgetShares::next() const {
  std::optional<int> best;
  for (int i = 0; i < int(kernels_.size()); ++i)
    if (!kernels_[size_t(i)].closed &&
        (!best || expected(kernels_[size_t(i)]) > expected(kernels_[size_t(*best)])))
      best = i;
  return best;
}

void BudgetShares::tell(int kernel, double ratio, double cost) {
  Kernel& one = kernels_[size_t(kernel)];
  double gained = std::max(0.0, 1 - ratio / one.ratio);
  one.lately = kGoesOn * std::max(one.lately, gained);
  one.ratio = std::min(one.ratio, ratio);
  // A first slice has the right answer to compute, too: later ones cost less.
  one.cost = std::max(1e-6, one.slices == 0 ? cost : std::min(one.cost, cost));
  ++one.slices;
}

void BudgetShares::close(int kernel) { kernels_[size_t(kernel)].closed = true; }

double BudgetShares::gain(int kernel) const {
  Kernel const& one = kernels_[size_t(kernel)];
  return one.seconds * (1 - one.ratio);
}

}  // namespace tw
