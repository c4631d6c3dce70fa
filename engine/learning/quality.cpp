#include "engine/learning/quality.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {
namespace {

/// The numbers of the k rows with the highest predictions, highest first, of equal ones the worse.
std::vector<size_t> predicted_best(std::span<float const> predicted, std::span<float const> truth,
                                   size_t k) {
  TW_ASSERT(predicted.size() == truth.size(), "every row is predicted");
  std::vector<size_t> order(predicted.size());
  std::iota(order.begin(), order.end(), size_t(0));
  auto middle = order.begin() + ptrdiff_t(std::min(k, order.size()));
  std::ranges::partial_sort(order, middle, [&](size_t a, size_t b) {
    if (predicted[a] != predicted[b]) return predicted[a] > predicted[b];
    return truth[a] < truth[b];
  });
  order.erase(middle, order.end());
  return order;
}

double pairs_of(double count) { return count * (count - 1) / 2; }

/// Pairs of rows beside each other in `order` that `same` calls equal.
template <typename Same>
double equal_pairs(std::vector<size_t> const& order, Same same) {
  double pairs = 0;
  for (size_t from = 0, to = 0; from < order.size(); from = to) {
    while (to < order.size() && same(order[from], order[to])) ++to;
    pairs += pairs_of(double(to - from));
  }
  return pairs;
}

/// Sorts by `truth` and counts the pairs that stood the other way round.
double sort_and_count(std::vector<size_t>& order, std::vector<size_t>& other,
                      std::span<float const> truth, size_t from, size_t to) {
  if (to - from < 2) return 0;
  size_t middle = (from + to) / 2;
  double swapped = sort_and_count(order, other, truth, from, middle) +
                   sort_and_count(order, other, truth, middle, to);
  size_t left = from, right = middle;
  for (size_t at = from; at < to; ++at) {
    bool take_left = right == to || (left < middle && truth[order[left]] <= truth[order[right]]);
    if (!take_left) swapped += double(middle - left);
    other[at] = order[take_left ? left++ : right++];
  }
  std::copy(other.begin() + ptrdiff_t(from), other.begin() + ptrdiff_t(to),
            order.begin() + ptrdiff_t(from));
  return swapped;
}

}  // namespace

double average_recall(std::span<float const> predicted, std::span<float const> truth, size_t k) {
  k = std::min(k, truth.size());
  if (k == 0) return 1;
  std::vector<float> best(truth.begin(), truth.end());
  std::ranges::partial_sort(best, best.begin() + ptrdiff_t(k), std::greater());
  best.resize(k);
  // Place p in the true order: a row counts once more than p rows are asked for.
  std::vector<size_t> enters(k + 1, 0);
  std::vector<size_t> order = predicted_best(predicted, truth, k);
  double sum = 0;
  for (size_t n = 1, found = 0; n <= k; ++n) {
    auto place = std::ranges::lower_bound(best, truth[order[n - 1]], std::greater());
    auto needed = size_t(place - best.begin()) + 1;
    if (needed <= n)
      ++found;
    else if (needed <= k)
      ++enters[needed];
    found += enters[n];
    sum += double(found) / double(n);
  }
  return sum / double(k);
}

double kendall_tau(std::span<float const> predicted, std::span<float const> truth) {
  TW_ASSERT(predicted.size() == truth.size(), "every row is predicted");
  std::vector<size_t> order(truth.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return predicted[a] != predicted[b] ? predicted[a] < predicted[b] : truth[a] < truth[b];
  });
  auto same_prediction = [&](size_t a, size_t b) { return predicted[a] == predicted[b]; };
  auto same_truth = [&](size_t a, size_t b) { return truth[a] == truth[b]; };
  double all = pairs_of(double(truth.size()));
  double by_prediction = equal_pairs(order, same_prediction);
  double by_both = equal_pairs(
      order, [&](size_t a, size_t b) { return same_prediction(a, b) && same_truth(a, b); });
  std::vector<size_t> other(order.size());
  double discordant = sort_and_count(order, other, truth, 0, order.size());
  double by_truth = equal_pairs(order, same_truth);
  double scale = std::sqrt(all - by_prediction) * std::sqrt(all - by_truth);
  if (scale == 0) return 0;
  return (all - by_prediction - by_truth + by_both - 2 * discordant) / scale;
}

double top_regret(std::span<float const> predicted, std::span<float const> truth, size_t k) {
  if (truth.empty() || k == 0) return 0;
  float best_chosen = truth[predicted_best(predicted, truth, k).front()];
  for (size_t row : predicted_best(predicted, truth, k))
    best_chosen = std::max(best_chosen, truth[row]);
  return double(std::ranges::max(truth)) - double(best_chosen);
}

}  // namespace tw
