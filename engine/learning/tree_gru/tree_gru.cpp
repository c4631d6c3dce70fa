#include "engine/learning/tree_gru/tree_gru.h"

#include <algorithm>
#include <cmath>

#include "engine/learning/tree_gru/gru_batch.h"
#include "engine/support/base/random.h"

namespace tw {
namespace {

constexpr size_t kAtOnce = 64;  // trees: what a pass keeps of them stays in a near cache

}  // namespace

size_t TreeGruSizes::parameters() const {
  auto f = size_t(features), e = size_t(embedding), h = size_t(hidden), s = size_t(slot_count);
  auto unit = [h](size_t input) { return 3 * h * (input + h) + 4 * h; };
  return e * (f + 1) + unit(e) + unit(h) + s * (2 * h + 1) + 1;
}

TreeGru TreeGru::by_chance(TreeGruSizes const& sizes, std::vector<float> means,
                           std::vector<float> scales, uint64_t seed) {
  TreeGru made;
  made.sizes_ = sizes;
  made.means_ = std::move(means);
  made.scales_ = std::move(scales);
  made.parameters_.assign(sizes.parameters(), 0.0F);
  Rng rng(seed);
  auto fill = [&](auto view) {
    double reach = 1 / std::sqrt(double(view.cols()));
    for (float& one : view.reshaped()) one = float((2 * rng.uniform() - 1) * reach);
  };
  auto weights = gru::gradients_of(sizes, made.parameters_.data());
  for (auto* matrix : {&weights.embed, &weights.up.input, &weights.up.state, &weights.join.input,
                       &weights.join.state, &weights.score, &weights.out})
    fill(*matrix);
  return made;
}

std::vector<float> TreeGru::predict(std::span<FeatureTree const* const> trees) const {
  std::vector<float> predictions(trees.size(), 0.0F);
  if (knows_nothing()) return predictions;
  auto weights = gru::weights_of(sizes_, parameters_.data());
  for (size_t first = 0; first < trees.size(); first += kAtOnce) {
    gru::Batch batch(*this, trees.subspan(first, std::min(kAtOnce, trees.size() - first)));
    gru::Pass<float> pass(sizes_, batch.plan());
    gru::Vector<float> some = pass.forward(weights, batch.features());
    std::copy(some.begin(), some.end(), predictions.begin() + ptrdiff_t(first));
  }
  return predictions;
}

}  // namespace tw
