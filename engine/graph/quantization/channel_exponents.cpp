#include "engine/graph/quantization/channel_exponents.h"

#include <algorithm>

namespace tw {

std::vector<int> shifts_between(ChannelExponents const& from, ChannelExponents const& to) {
  std::vector<int> shifts(std::max(from.all.size(), to.all.size()));
  for (size_t c = 0; c < shifts.size(); ++c) shifts[c] = from.of(int64_t(c)) - to.of(int64_t(c));
  return shifts;
}

std::optional<ChannelExponents> finer(ChannelExponents const& a, ChannelExponents const& b) {
  bool both = a.all.size() > 1 && b.all.size() > 1;
  if (both && (a.all.size() != b.all.size() || a.axis != b.axis)) return std::nullopt;
  ChannelExponents result = a.all.size() > 1 ? a : b;
  for (size_t c = 0; c < result.all.size(); ++c)
    result.all[c] = std::min(a.of(int64_t(c)), b.of(int64_t(c)));
  return result;
}

NDArray along(Shape const& result, size_t axis, std::vector<double> const& numbers) {
  Shape shape;
  if (numbers.size() > 1) {
    // Blocks of images or rows are read by whole ones: then each has its own.
    shape.assign(result.size(), 1);
    shape[0] = result[0];
    shape[axis] = std::ssize(numbers);
  }
  NDArray array = NDArray::create(DType::kI32, shape).value();
  for (int64_t i = 0; i < array.size(); ++i)
    array.set_value(i, numbers[size_t(i) % numbers.size()]);
  return array;
}

}  // namespace tw
