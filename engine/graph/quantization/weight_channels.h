/// The weights of a convolution or matrix product by the channel of the result that they make.
#pragma once

#include <vector>

#include "engine/graph/graph.h"

namespace tw {

class WeightChannels {
public:
  /// `weights` in f32 outlive this.
  WeightChannels(Node const& product, NDArray const& weights);

  int64_t count() const { return count_; }
  int64_t axis() const { return by_rows_ ? 0 : 1; }
  int64_t channel_of(int64_t element) const {
    return by_rows_ ? element / columns_ : element % columns_;
  }
  double sum_of_magnitudes(int64_t channel) const { return sums_[size_t(channel)]; }
  /// Of the steps with which integers up to `limit` keep the weights of each channel best, or those
  /// of all together: then they are all the same.
  std::vector<int> exponents(int limit, bool together) const;

private:
  NDArray const& weights_;
  bool by_rows_;
  int64_t count_, columns_;
  std::vector<double> sums_;
};

}  // namespace tw
