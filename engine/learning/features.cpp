#include "engine/learning/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tw {
namespace {

Status check_size(char const* what, size_t size, size_t expected) {
  if (size == expected) return {};
  return bad_input("rows_differ", fmt::format("there are {} {} where {} are needed, one for each "
                                              "row",
                                              size, what, expected));
}

Status check_numbers(char const* what, std::vector<float> const& numbers, auto&& is_good) {
  auto bad = std::ranges::find_if_not(numbers, is_good);
  if (bad == numbers.end()) return {};
  return bad_input("not_a_number", fmt::format("the {} of row {} is {}, nothing can be learned "
                                               "from that",
                                               what, bad - numbers.begin(), *bad));
}

Status check_features(TrainingRows const& rows) {
  if (rows.features.size() % rows.width != 0 || rows.features.size() / rows.width != rows.rows())
    return bad_input("rows_differ", fmt::format("{} features are not {} rows of {}",
                                                rows.features.size(), rows.rows(), rows.width));
  auto bad = std::ranges::find_if(rows.features, [](float x) { return std::isinf(x); });
  if (bad == rows.features.end()) return {};
  auto at = size_t(bad - rows.features.begin());
  return bad_input("not_a_number", fmt::format("feature {} of row {} is infinite", at % rows.width,
                                               at / rows.width));
}

template <typename Value>
std::vector<Value> chosen(std::vector<Value> const& from, std::span<size_t const> numbers) {
  std::vector<Value> taken;
  if (from.empty()) return taken;
  taken.reserve(numbers.size());
  for (size_t number : numbers) taken.push_back(from[number]);
  return taken;
}

}  // namespace

Status check(TrainingRows const& rows) {
  if (rows.rows() == 0) return bad_input("no_rows", "there are no rows to learn from");
  if (rows.width == 0) return bad_input("no_rows", "the rows to learn from have no features");
  TRY(check_features(rows));
  if (!rows.weights.empty()) TRY(check_size("weights", rows.weights.size(), rows.rows()));
  if (!rows.groups.empty()) TRY(check_size("groups", rows.groups.size(), rows.rows()));
  if (!rows.prediction_so_far.empty())
    TRY(check_size("predictions so far", rows.prediction_so_far.size(), rows.rows()));
  auto finite = [](float x) { return std::isfinite(x); };
  TRY(check_numbers("target", rows.targets, finite));
  TRY(check_numbers("prediction so far", rows.prediction_so_far, finite));
  TRY(check_numbers("weight", rows.weights, [](float x) { return std::isfinite(x) && x >= 0; }));
  if (!rows.weights.empty() && std::ranges::max(rows.weights) == 0)
    return bad_input("no_rows", "every row has a weight of 0, there is nothing to learn from");
  return {};
}

TrainingRows chosen_rows(TrainingRows const& rows, std::span<size_t const> numbers) {
  TrainingRows taken{.features = {},
                     .width = rows.width,
                     .targets = chosen(rows.targets, numbers),
                     .weights = chosen(rows.weights, numbers),
                     .groups = chosen(rows.groups, numbers),
                     .prediction_so_far = chosen(rows.prediction_so_far, numbers)};
  taken.features.reserve(numbers.size() * rows.width);
  for (size_t number : numbers) {
    auto first = rows.features.begin() + ptrdiff_t(number * rows.width);
    taken.features.insert(taken.features.end(), first, first + ptrdiff_t(rows.width));
  }
  return taken;
}

}  // namespace tw
