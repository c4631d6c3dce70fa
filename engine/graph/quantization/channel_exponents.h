/// Steps of integers that differ from channel to channel: the exponents of their powers of two.
#pragma once

#include <optional>
#include <vector>

#include "engine/tensor/ndarray.h"

namespace tw {

struct ChannelExponents {
  std::vector<int> all = {0};  ///< one: of all channels
  size_t axis = 0;             ///< of the channels, where there are several

  int of(int64_t channel) const { return all[all.size() == 1 ? 0 : size_t(channel)]; }
};

/// By how many places integers in steps of `from` move to the left to be in steps of `to`.
std::vector<int> shifts_between(ChannelExponents const& from, ChannelExponents const& to);

/// The finer of the two for each channel; empty: their channels are not the same.
std::optional<ChannelExponents> finer(ChannelExponents const& a, ChannelExponents const& b);

/// Numbers for the channels of a result, or one for all, in i32 and in a shape that broadcasts.
NDArray along(Shape const& result, size_t axis, std::vector<double> const& numbers);

}  // namespace tw
