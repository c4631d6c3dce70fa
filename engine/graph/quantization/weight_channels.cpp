#include "engine/graph/quantization/weight_channels.h"

#include <algorithm>
#include <cmath>

#include "engine/graph/operator.h"
#include "engine/graph/quantization/samples.h"

namespace tw {
namespace {

/// Empty: all are zero, and every step keeps them.
std::optional<int> best_exponent_of(std::span<float const> weights, int limit) {
  double largest = 0;
  for (float weight : weights) largest = std::max(largest, std::abs(double(weight)));
  if (!(largest > 0)) return {};
  return best_exponent(weights, largest, limit);
}

}  // namespace

WeightChannels::WeightChannels(Node const& product, NDArray const& weights)
    : weights_(weights),
      by_rows_(product.type == "conv" || integer(product.attributes, "transpose_b") != 0) {
  int64_t rows = std::max<int64_t>(1, weights.shape()[0]);
  columns_ = weights.size() / rows;
  count_ = by_rows_ ? weights.shape()[0] : columns_;
  sums_.resize(size_t(count_));
  for (int64_t i = 0; i < weights.size(); ++i)
    sums_[size_t(channel_of(i))] += std::abs(weights.value_at(i));
}

std::vector<int> WeightChannels::exponents(int limit, bool together) const {
  std::span<float const> all = weights_.as<float>();
  if (together) return std::vector(size_t(count_), best_exponent_of(all, limit).value_or(0));
  std::vector<std::vector<float>> channels{size_t(count_)};
  for (int64_t i = 0; i < weights_.size(); ++i)
    channels[size_t(channel_of(i))].push_back(all[size_t(i)]);
  std::vector<std::optional<int>> best;
  for (auto const& channel : channels) best.push_back(best_exponent_of(channel, limit));
  int coarsest = std::ranges::max(best).value_or(0);
  std::vector<int> exponents;
  for (std::optional<int> const& one : best) exponents.push_back(one.value_or(coarsest));
  return exponents;
}

}  // namespace tw
