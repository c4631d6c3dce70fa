#include "engine/session/views/value_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/support/base/quantities.h"
#include "engine/tensor/nearest.h"

namespace tw::session {
namespace {

constexpr size_t kBetweenLooks = 1 << 16;  // elements between two looks at the stop token
constexpr double kMostWhole = 1e15;        // larger whole numbers are said with four digits, too
constexpr double kSeen = 0.02;  // of the highest bin: what is lower is hardly seen beside it

/// Calls f with each element as a double.
template <typename T, typename F>
void each(NDArray const& values, StopToken const& stop, F f) {
  std::span<T const> elements = values.as<T>();
  for (size_t first = 0; first < elements.size(); first += kBetweenLooks) {
    if (stop.stop_requested()) return;
    size_t end = std::min(elements.size(), first + kBetweenLooks);
    for (size_t i = first; i < end; ++i) f(elements[i]);
  }
}

template <typename F>
void each_value(NDArray const& values, StopToken const& stop, F f) {
  auto number = [&](auto v) { f(double(v)); };
  switch (values.type()) {
    case DType::kF32:
      return each<float>(values, stop, number);
    case DType::kF64:
      return each<double>(values, stop, number);
    case DType::kF16:
      return each<uint16_t>(values, stop, [&](uint16_t v) { f(double(half_to_float(v))); });
    case DType::kBF16:
      return each<uint16_t>(values, stop, [&](uint16_t v) { f(double(bfloat_to_float(v))); });
    case DType::kI8:
      return each<int8_t>(values, stop, number);
    case DType::kU8:
      return each<uint8_t>(values, stop, number);
    case DType::kI16:
      return each<int16_t>(values, stop, number);
    case DType::kU16:
      return each<uint16_t>(values, stop, number);
    case DType::kI32:
      return each<int32_t>(values, stop, number);
    case DType::kU32:
      return each<uint32_t>(values, stop, number);
    case DType::kI64:
      return each<int64_t>(values, stop, number);
    case DType::kU64:
      return each<uint64_t>(values, stop, number);
    case DType::kBool:
      return each<uint8_t>(values, stop, [&](uint8_t v) { f(v ? 1.0 : 0.0); });
  }
}

void count_values(NDArray const& values, StopToken const& stop, ValueStatistics& into) {
  double sum = 0, least = std::numeric_limits<double>::infinity(), greatest = -least;
  each_value(values, stop, [&](double v) {
    ++into.count;
    if (std::isnan(v)) {
      ++into.nan;
    } else if (std::isinf(v)) {
      ++(v > 0 ? into.above : into.below);
    } else {
      into.zeros += v == 0;
      least = std::min(least, v);
      greatest = std::max(greatest, v);
      sum += v;
    }
  });
  if (into.finite() == 0) return;
  into.least = least;
  into.greatest = greatest;
  into.mean = sum / double(into.finite());
}

/// Whole numbers are never parted: a bin has one of them, or as many as the others.
void choose_bins(DType type, ValueStatistics& into) {
  into.whole = !is_float(type);
  into.low = type == DType::kBool ? 0 : into.least;
  double greatest = type == DType::kBool ? 1 : into.greatest;
  if (into.whole) {
    double numbers = greatest - into.low + 1;
    into.step = std::ceil(numbers / kMostBins);
    into.bins.assign(size_t(std::ceil(numbers / into.step)), 0);
    return;
  }
  into.step = greatest / kMostBins - into.low / kMostBins;  // their difference may be too large
  into.bins.assign(into.step > 0 ? kMostBins : 1, 0);
}

void fill_bins(NDArray const& values, StopToken const& stop, ValueStatistics& into) {
  double squares = 0, last = double(into.bins.size()) - 1;
  double low = into.step > 0 ? into.low / into.step : 0;
  each_value(values, stop, [&](double v) {
    if (!std::isfinite(v)) return;
    squares += (v - into.mean) * (v - into.mean);
    double bin = into.step > 0 ? std::floor(v / into.step - low) : 0;
    if (into.whole) bin = std::floor((v - into.low) / into.step);
    ++into.bins[size_t(std::clamp(bin, 0.0, last))];
  });
  into.deviation = std::sqrt(squares / double(into.finite()));
}

}  // namespace

ValueStatistics statistics_of(NDArray const& values, StopToken stop) {
  ValueStatistics result;
  count_values(values, stop, result);
  if (result.finite() == 0) return result;
  choose_bins(values.type(), result);
  fill_bins(values, stop, result);
  return result;
}

bool ValueStatistics::wants_logarithm() const {
  if (bins.empty()) return false;
  double most = double(*std::ranges::max_element(bins));
  int64_t filled = 0, hardly_seen = 0;
  for (int64_t bin : bins) {
    filled += bin > 0;
    hardly_seen += bin > 0 && double(bin) < kSeen * most;
  }
  return 2 * hardly_seen > filled;
}

std::string value_text(double value) {
  bool whole = value == std::floor(value) && std::abs(value) < kMostWhole;
  return whole ? fmt::format("{:.0f}", value + 0.0) : fmt::format("{:.4g}", value);
}

std::string operations_text(int64_t operations, bool integers) {
  std::string text = many_text(double(operations));
  bool letter = !text.empty() && (text.back() < '0' || text.back() > '9');
  return text + (letter ? "" : " ") + (integers ? "OP" : "FLOP");
}

std::string ValueStatistics::words_of(size_t bin) const {
  double from = low + double(bin) * step, to = from + step;
  if (step == 0) return value_text(low);
  if (!whole) return value_text(from) + " to " + value_text(std::min(to, greatest));
  auto number = [](double value) { return fmt::format("{:.0f}", value); };
  return step == 1 ? number(from) : number(from) + " to " + number(std::min(to - 1, greatest));
}

}  // namespace tw::session
