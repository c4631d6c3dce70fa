#include "engine/learning/training/train_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/learning/quality.h"
#include "engine/learning/training/booster.h"
#include "engine/learning/xgboost_model.h"

namespace tw {
namespace {

Status check_options(TrainOptions const& options) {
  auto wrong = [](std::string what) { return bad_input("bad_option", std::move(what)); };
  if (options.depth < 1 || options.depth > kMostTreeDepth)
    return wrong(fmt::format("trees can be 1 to {} deep, not {}", kMostTreeDepth, options.depth));
  if (!(options.learning_rate > 0 && options.learning_rate <= 1))
    return wrong(
        fmt::format("the learning rate is above 0 and at most 1, not {}", options.learning_rate));
  if (!(options.row_share > 0 && options.row_share <= 1))
    return wrong(fmt::format("the share of rows that a tree sees is above 0 and at most 1, not {}",
                             options.row_share));
  auto is_bound = [](double x) { return std::isfinite(x) && x >= 0; };
  if (!is_bound(options.least_gain) || !is_bound(options.least_child_weight))
    return wrong("the minimum gain and the minimum weight of a split are numbers from 0");
  if (options.rounds < 0 || options.patience < 0)
    return wrong("rounds and patience are numbers from 0");
  if (options.pairs_per_row < 1) return wrong("a row is compared with one other at least");
  if (options.bins < 0 || options.bins == 1) return wrong("a feature is cut into 2 bins or more");
  if (options.threads < 1) return wrong("training takes at least one thread");
  return {};
}

/// The rows by groups, and how many each has; rows of a group keep their order.
TrainingRows by_groups(TrainingRows const& rows, std::vector<uint32_t>& sizes) {
  if (rows.groups.empty()) {
    sizes = {uint32_t(rows.rows())};
    return rows;
  }
  std::vector<size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, {}, [&](size_t row) { return rows.groups[row]; });
  TrainingRows sorted = chosen_rows(rows, order);
  for (size_t i = 0; i < sorted.rows(); ++i)
    if (i > 0 && sorted.groups[i] == sorted.groups[i - 1])
      ++sizes.back();
    else
      sizes.push_back(1);
  return sorted;
}

/// XGBoost ranks with one weight a group.
std::vector<float> weights_of_groups(std::vector<float> const& weights,
                                     std::span<uint32_t const> sizes) {
  std::vector<float> means;
  if (weights.empty()) return means;
  for (size_t from = 0; uint32_t size : sizes) {
    auto first = weights.begin() + ptrdiff_t(from);
    means.push_back(float(std::accumulate(first, first + size, 0.0) / size));
    from += size;
  }
  return means;
}

/// Where regression begins: the weighted mean of what is to be learned, so that no tree has to say
/// it. An order needs none.
float first_guess(TrainingRows const& rows, Objective objective) {
  if (objective == Objective::kPairwiseRank) return 0;
  double sum = 0, weights = 0;
  for (size_t i = 0; i < rows.rows(); ++i) {
    double weight = rows.weights.empty() ? 1 : double(rows.weights[i]);
    double so_far = rows.prediction_so_far.empty() ? 0 : double(rows.prediction_so_far[i]);
    sum += weight * (double(rows.targets[i]) - so_far);
    weights += weight;
  }
  return weights > 0 ? float(sum / weights) : 0.0f;
}

Booster::Parameters parameters_of(TrainOptions const& options) {
  bool rank = options.objective == Objective::kPairwiseRank;
  Booster::Parameters parameters = {
      {"verbosity", "0"},
      {"objective", rank ? "rank:pairwise" : "reg:squarederror"},
      {"disable_default_eval_metric", "1"},
      {"base_score", "0"},  // not used: every row has its own
      {"tree_method", options.bins > 0 ? "hist" : "exact"},
      {"max_depth", std::to_string(options.depth)},
      {"eta", fmt::format("{}", options.learning_rate)},
      {"gamma", fmt::format("{}", options.least_gain)},
      {"min_child_weight", fmt::format("{}", options.least_child_weight)},
      {"subsample", fmt::format("{}", options.row_share)},
      {"seed", std::to_string(options.seed & 0x7FFFFFFF)},
      {"nthread", std::to_string(options.threads)}};
  // A parameter of what is not used would be refused.
  if (rank) parameters.emplace_back("num_pairsample", std::to_string(options.pairs_per_row));
  if (options.bins > 0) parameters.emplace_back("max_bin", std::to_string(options.bins));
  return parameters;
}

double recall_of_groups(std::span<float const> predicted, std::span<float const> truth,
                        std::span<uint32_t const> sizes, size_t k) {
  double sum = 0;
  for (size_t from = 0; uint32_t size : sizes) {
    sum += average_recall(predicted.subspan(from, size), truth.subspan(from, size), k);
    from += size;
  }
  return sum / double(sizes.size());
}

/// Rounds until there were enough, or none of the last `patience` was better than all before.
/// Gives how many rounds' trees to keep: all, or those up to the best.
Result<size_t> boost(Booster& booster, TrainingRows const& rows, std::span<uint32_t const> sizes,
                     TrainOptions const& options, int first_round, StopToken const& stop,
                     TrainedTrees& trained) {
  double best = -1;
  int best_rounds = 0;
  for (trained.rounds = 0; trained.rounds < options.rounds && !trained.converged;) {
    if (stop.stop_requested()) return refused("cancelled", "the training was cancelled");
    // XGBoost draws the pairs of a round by its number alone.
    TRY(booster.add_tree(first_round + trained.rounds++));
    TRY_ASSIGN(std::span<float const> predicted, booster.predictions());
    trained.average_recall = recall_of_groups(predicted, rows.targets, sizes, options.recall_at);
    if (trained.average_recall > best) {
      best = trained.average_recall;
      best_rounds = trained.rounds;
    }
    trained.converged = options.patience > 0 && trained.rounds - best_rounds >= options.patience;
  }
  if (!trained.converged) return size_t(trained.rounds);
  trained.average_recall = best;
  return size_t(best_rounds);
}

}  // namespace

Result<TrainedTrees> train_trees(TrainingRows const& rows, TrainOptions const& options,
                                 StopToken stop, TreeEnsemble const* previous) {
  TRY(check(rows));
  TRY(check_options(options));
  if (previous != nullptr && previous->width() != rows.width)
    return bad_input("other_features",
                     fmt::format("the previous trees are for rows of {} features, these have {}",
                                 previous->width(), rows.width));
  std::vector<uint32_t> sizes;
  TrainingRows sorted = by_groups(rows, sizes);
  TreeEnsemble before = previous != nullptr
                            ? *previous
                            : TreeEnsemble(rows.width, first_guess(sorted, options.objective));
  // Boosting is a sum: to go on from trees is to begin with what they predict.
  std::vector<float> start = before.predict(sorted.table());
  sorted.prediction_so_far.resize(sorted.rows(), 0.0f);
  for (size_t i = 0; i < start.size(); ++i) sorted.prediction_so_far[i] += start[i];

  bool rank = options.objective == Objective::kPairwiseRank;
  TRY_ASSIGN(auto booster,
             Booster::create(sorted, rank ? sizes : std::vector<uint32_t>(),
                             rank ? weights_of_groups(sorted.weights, sizes) : sorted.weights,
                             parameters_of(options)));
  TrainedTrees trained{.trees = TreeEnsemble(rows.width)};
  int first_round = int(before.size() + options.seed % 1000 * 1000);
  TRY_ASSIGN(size_t kept, boost(booster, sorted, sizes, options, first_round, stop, trained));
  TRY_ASSIGN(std::string model, booster.model_json());
  TRY_ASSIGN(auto added, parse_xgboost_model(model));
  trained.trees = before.followed_by(added, kept);
  return trained;
}

}  // namespace tw
