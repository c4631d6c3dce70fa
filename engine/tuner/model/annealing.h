/// Chains that walk over a space at once, downhill by what a model predicts ("parallel simulated
/// annealing", Chen et al. 2018, section 3.3). They live on: a better model finds them where the
/// last one led.
#pragma once

#include <functional>
#include <set>

#include "engine/support/base/random.h"
#include "engine/tuner/features/knob_features.h"

namespace tw {

/// One prediction for each; lower is better.
using Predict = std::function<std::vector<float>(std::span<Coordinates const>)>;

struct AnnealingOptions {
  size_t chains = 128;
  int steps = 40;
  double hottest = 0.2;  ///< a step up by this is taken with 1/e in the beginning
};

class Annealing {
public:
  explicit Annealing(AnnealingOptions const& options) : options_(options) {}

  /// Where a chain may begin or begin anew; it takes one that has none yet, then any by chance.
  void begin_at(Coordinates const& point, Rng& rng);
  /// Walks all, and gives the best points on the way that are not `known`, the best first.
  /// Knobs in `fixed` are left as they are.
  std::vector<Coordinates> walk(KnobFeatures const& features, Predict const& predict,
                                std::set<Coordinates> const& known,
                                std::set<std::string> const& fixed, size_t count, Rng& rng);

private:
  Coordinates moved(KnobFeatures const& features, std::span<size_t const> free, Coordinates from,
                    Rng& rng) const;

  AnnealingOptions options_;
  std::vector<Coordinates> chains_;
};

}  // namespace tw
