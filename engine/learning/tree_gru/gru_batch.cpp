#include "engine/learning/tree_gru/gru_batch.h"

namespace tw::gru {

Batch::Batch(TreeGru const& model, std::span<FeatureTree const* const> trees)
    : plan_(plan_of(trees)), features_(model.sizes().features, plan_.nodes) {
  int column = 0;
  auto width = size_t(model.sizes().features);
  for (FeatureTree const* tree : trees) {
    TW_ASSERT(tree->width() == width, "trees are as wide as the network is for");
    for (size_t node = 0; node < tree->nodes(); ++node, ++column)
      for (size_t i = 0; i < width; ++i)
        features_(Eigen::Index(i), column) =
            (tree->row(node)[i] - model.means()[i]) / model.scales()[i];
  }
}

}  // namespace tw::gru
