#include "engine/learning/tree_gru/train_tree_gru.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/learning/tree_gru/gru_batch.h"
#include "engine/learning/tree_gru/gru_loss.h"
#include "engine/support/base/random.h"

namespace tw {
namespace {

constexpr size_t kLeastHeldOut = 4;
constexpr int kMostWide = 1024;  // an embedding, a state: sizes that memory is enough for

Status check_numbers(char const* what, std::vector<float> const& numbers) {
  auto bad = std::ranges::find_if_not(numbers, [](float x) { return std::isfinite(x); });
  if (bad == numbers.end()) return {};
  return bad_input("not_a_number", fmt::format("the {} of row {} is {}, nothing can be learned "
                                               "from that",
                                               what, bad - numbers.begin(), *bad));
}

Status check_rows(TreeRows const& rows) {
  if (rows.rows() == 0) return bad_input("no_rows", "there are no rows to learn from");
  auto fits = [&](size_t size, bool may_be_empty) {
    return size == rows.rows() || (may_be_empty && size == 0);
  };
  if (!fits(rows.targets.size(), false) || !fits(rows.groups.size(), true) ||
      !fits(rows.prediction_so_far.size(), true))
    return bad_input("rows_differ", fmt::format("there are {} trees, but {} targets, {} groups and "
                                                "{} predictions so far",
                                                rows.rows(), rows.targets.size(),
                                                rows.groups.size(), rows.prediction_so_far.size()));
  TRY(check_numbers("target", rows.targets));
  TRY(check_numbers("prediction so far", rows.prediction_so_far));
  for (size_t i = 0; i < rows.rows(); ++i)
    if (rows.trees[i]->width() != rows.trees[0]->width())
      return bad_input("rows_differ",
                       fmt::format("the nodes of row {} have {} features, those of "
                                   "row 0 have {}",
                                   i, rows.trees[i]->width(), rows.trees[0]->width()));
  return {};
}

Status check_options(TreeGruOptions const& options) {
  auto wrong = [](std::string what) { return bad_input("bad_option", std::move(what)); };
  for (int size : {options.embedding, options.hidden, options.slot_count})
    if (size < 1 || size > kMostWide)
      return wrong(fmt::format("a network's sizes are 1 to {}, not {}", kMostWide, size));
  auto is_bound = [](double x) { return std::isfinite(x) && x >= 0; };
  if (!is_bound(options.learning_rate) || options.learning_rate > 1 || options.learning_rate <= 0)
    return wrong(
        fmt::format("the learning rate is above 0 and at most 1, not {}", options.learning_rate));
  if (!is_bound(options.weight_decay) || !is_bound(options.longest_gradient))
    return wrong("the weights' decay and the longest gradient are numbers from 0");
  if (!(options.held_out >= 0 && options.held_out < 1))
    return wrong(
        fmt::format("the share of rows that is held out is 0 or more and less than 1, "
                    "not {}",
                    options.held_out));
  if (options.batch < 2 || options.steps < 0 || options.check_after < 1 || options.patience < 0)
    return wrong("a step has 2 rows or more, and steps and patience are numbers from 0");
  return {};
}

/// Of each feature over all nodes; one that never changes is left as it is.
void measure_features(TreeRows const& rows, std::vector<float>& means, std::vector<float>& scales) {
  size_t width = rows.trees[0]->width(), nodes = 0;
  std::vector<double> sums(width, 0.0), squares(width, 0.0);
  auto each = [&](auto what) {
    for (FeatureTree const* tree : rows.trees)
      for (size_t node = 0; node < tree->nodes(); ++node)
        for (size_t i = 0; i < width; ++i) what(i, double(tree->row(node)[i]));
  };
  for (FeatureTree const* tree : rows.trees) nodes += tree->nodes();
  each([&](size_t i, double x) { sums[i] += x / double(nodes); });
  each([&](size_t i, double x) { squares[i] += (x - sums[i]) * (x - sums[i]) / double(nodes); });
  for (size_t i = 0; i < width; ++i) {
    means.push_back(float(sums[i]));
    scales.push_back(squares[i] > 1e-12 ? float(std::sqrt(squares[i])) : 1.0F);
  }
}

/// The mean of what is to be learned, so that no step has to find it.
float first_guess(TreeRows const& rows) {
  double sum = 0;
  for (size_t i = 0; i < rows.rows(); ++i) {
    double so_far = rows.prediction_so_far.empty() ? 0 : double(rows.prediction_so_far[i]);
    sum += double(rows.targets[i]) - so_far;
  }
  return float(sum / double(rows.rows()));
}

class Training {
public:
  Training(TreeRows const& rows, TreeGruOptions const& options, TreeGru model)
      : rows_(rows), options_(options), rng_(options.seed), model_(std::move(model)) {
    std::vector<size_t> order(rows.rows());
    std::iota(order.begin(), order.end(), size_t(0));
    shuffle(order);
    auto count = size_t(options.held_out * double(order.size()));
    if (count < kLeastHeldOut) count = 0;
    held_out_.assign(order.begin(), order.begin() + ptrdiff_t(count));
    learned_.assign(order.begin() + ptrdiff_t(count), order.end());
    first_moments_.setZero(Eigen::Index(model_.parameters().size()));
    second_moments_ = first_moments_;
  }

  Result<TrainedTreeGru> run(StopToken const& stop) {
    TrainedTreeGru best{.model = model_, .loss = loss()};
    for (int looks = 0; steps_ < options_.steps && !best.converged;) {
      if (stop.stop_requested()) return refused("cancelled", "the training was cancelled");
      step();
      if (steps_ % options_.check_after != 0 && steps_ < options_.steps) continue;
      double now = loss();
      if (now < best.loss || (best.steps == 0 && !std::isfinite(best.loss)))
        best.model = model_, best.loss = now, looks = 0;
      else
        best.converged = ++looks >= options_.patience && options_.patience > 0;
    }
    best.steps = steps_;
    auto finite = [](float x) { return std::isfinite(x); };
    if (!std::isfinite(best.loss) || !std::ranges::all_of(best.model.parameters(), finite))
      return environment_failed("training_failed",
                                "the network's weights are no numbers any more: "
                                "its learning rate is too high");
    return best;
  }

private:
  void shuffle(std::vector<size_t>& order) {
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[size_t(rng_.below(int64_t(i)))]);
  }

  /// Those that the next step sees: all, in an order by chance, before any comes again.
  std::vector<size_t> next_rows() {
    size_t count = std::min(size_t(options_.batch), learned_.size());
    if (next_ + count > learned_.size()) next_ = 0;
    if (next_ == 0) shuffle(learned_);
    auto first = learned_.begin() + ptrdiff_t(next_);
    next_ += count;
    return {first, first + ptrdiff_t(count)};
  }

  std::vector<FeatureTree const*> trees_of(std::vector<size_t> const& rows) const {
    std::vector<FeatureTree const*> trees;
    for (size_t row : rows) trees.push_back(rows_.trees[row]);
    return trees;
  }

  double loss_of_rows(std::vector<size_t> const& rows, auto const& predicted,
                      std::vector<double>& slopes) const {
    std::vector<double> values, targets;
    std::vector<int> groups;
    for (size_t i = 0; i < rows.size(); ++i) {
      double so_far =
          rows_.prediction_so_far.empty() ? 0 : double(rows_.prediction_so_far[rows[i]]);
      values.push_back(double(predicted[Eigen::Index(i)]) + so_far);
      targets.push_back(double(rows_.targets[rows[i]]));
      groups.push_back(rows_.groups.empty() ? 0 : rows_.groups[rows[i]]);
    }
    return gru::loss_of(options_.objective, values, targets, groups, slopes);
  }

  double loss() const {
    std::vector<size_t> const& rows = held_out_.empty() ? learned_ : held_out_;
    std::vector<float> predicted = model_.predict(trees_of(rows));
    std::vector<double> slopes;
    return loss_of_rows(
        rows,
        Eigen::Map<gru::Vector<float> const>(predicted.data(), Eigen::Index(predicted.size())),
        slopes);
  }

  void step() {
    std::vector<size_t> rows = next_rows();
    gru::Batch batch(model_, trees_of(rows));
    gru::Pass<float> pass(model_.sizes(), batch.plan());
    auto weights = gru::weights_of(model_.sizes(), std::as_const(model_).parameters().data());
    gru::Vector<float> predicted = pass.forward(weights, batch.features());
    std::vector<double> slopes;
    loss_of_rows(rows, predicted, slopes);
    gru::Vector<float> wanted =
        Eigen::Map<gru::Vector<double>>(slopes.data(), Eigen::Index(slopes.size())).cast<float>();
    gru::Vector<float> gradient =
        gru::Vector<float>::Zero(Eigen::Index(model_.parameters().size()));
    auto gradients = gru::gradients_of(model_.sizes(), gradient.data());
    pass.backward(weights, wanted, gradients);
    ++steps_;
    descend(gradient);
  }

  /// Adam; the weights' decay is apart from it (Loshchilov and Hutter 2019).
  void descend(gru::Vector<float>& gradient) {
    constexpr float kFirst = 0.9F, kSecond = 0.999F, kLeast = 1e-8F;
    float length = gradient.norm(), longest = float(options_.longest_gradient);
    if (longest > 0 && length > longest) gradient *= longest / length;
    first_moments_ = kFirst * first_moments_ + (1 - kFirst) * gradient;
    second_moments_ = kSecond * second_moments_ + (1 - kSecond) * gradient.cwiseAbs2();
    auto rate = float(options_.learning_rate);
    float first = rate / (1 - std::pow(kFirst, float(steps_)));
    float second = 1 / (1 - std::pow(kSecond, float(steps_)));
    std::vector<float>& numbers = model_.parameters();
    Eigen::Map<gru::Vector<float>> weights(numbers.data(), Eigen::Index(numbers.size()));
    weights *= 1 - rate * float(options_.weight_decay);
    weights.array() -=
        first * first_moments_.array() / ((second * second_moments_.array()).sqrt() + kLeast);
  }

  TreeRows const& rows_;
  TreeGruOptions const& options_;
  Rng rng_;
  TreeGru model_;
  std::vector<size_t> learned_, held_out_;
  gru::Vector<float> first_moments_, second_moments_;
  size_t next_ = 0;
  int steps_ = 0;
};

}  // namespace

Result<TrainedTreeGru> train_tree_gru(TreeRows const& rows, TreeGruOptions const& options,
                                      StopToken stop, TreeGru const* previous) {
  TRY(check_rows(rows));
  TRY(check_options(options));
  auto width = int(rows.trees[0]->width());
  if (previous != nullptr && !previous->knows_nothing()) {
    if (previous->sizes().features != width)
      return bad_input("other_features",
                       fmt::format("the previous network is for nodes of {} features, these have "
                                   "{}",
                                   previous->sizes().features, width));
    return Training(rows, options, *previous).run(stop);
  }
  std::vector<float> means, scales;
  measure_features(rows, means, scales);
  TreeGruSizes sizes{width, options.embedding, options.hidden, options.slot_count};
  TreeGru begun = TreeGru::by_chance(sizes, std::move(means), std::move(scales), options.seed + 1);
  if (options.objective == Objective::kRegression)
    begun.parameters().back() = first_guess(rows);  // of the line through all slots: its constant
  return Training(rows, options, std::move(begun)).run(stop);
}

}  // namespace tw
