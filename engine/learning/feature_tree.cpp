#include "engine/learning/feature_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tw {

Result<FeatureTree> FeatureTree::create(size_t width, std::vector<float> features,
                                        std::vector<int32_t> parents) {
  if (width == 0 || parents.empty())
    return bad_input("no_rows", "a tree to learn from has no nodes, or its nodes have no features");
  if (features.size() != width * parents.size())
    return bad_input("rows_differ", fmt::format("{} features are not {} rows of {}",
                                                features.size(), parents.size(), width));
  auto bad = std::ranges::find_if_not(features, [](float x) { return std::isfinite(x); });
  if (bad != features.end()) {
    auto at = size_t(bad - features.begin());
    return bad_input("not_a_number", fmt::format("feature {} of row {} is {}, a tree to learn from "
                                                 "has finite numbers only",
                                                 at % width, at / width, *bad));
  }
  for (size_t node = 0; node < parents.size(); ++node)
    if (parents[node] < kRoot || parents[node] >= int32_t(node))
      return bad_input(
          "bad_parent",
          fmt::format(
              "node {} has the parent {}: a parent comes before its children, and {} is none", node,
              parents[node], kRoot));
  return FeatureTree(width, std::move(features), std::move(parents));
}

}  // namespace tw
