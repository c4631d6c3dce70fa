#include "engine/tuner/model/point_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tuner/features/time_features.h"

namespace tw {
namespace {

constexpr int kFailureRounds = 15;

std::vector<float> knob_rows(KnobFeatures const& features, std::span<Coordinates const> points,
                             size_t width) {
  std::vector<float> values(points.size() * width);
  for (size_t i = 0; i < points.size(); ++i)
    features.fill(points[i], std::span(values).subspan(i * width, width));
  return values;
}

}  // namespace

constexpr std::string_view kKinds[] = {"trees", "tree-gru"};

std::string_view name_of(ModelKind kind) { return kKinds[size_t(kind)]; }

Result<ModelKind> find_model_kind(std::string_view name) {
  for (size_t i = 0; i < std::size(kKinds); ++i)
    if (kKinds[i] == name) return ModelKind(i);
  return bad_input("unknown_model_kind", fmt::format("there is no cost model '{}'; there are {}",
                                                     name, fmt::join(kKinds, ", ")));
}

double PointModel::modelled(SeenPoint const& point) const {
  bool says = options_.with_prior && point.modelled && point.modelled->seconds > 0;
  return says ? std::log(point.modelled->seconds) : 0.0;
}

double PointModel::prior(SeenPoint const& point) const {
  return modelled(point) + trust_ * point.experienced;
}

/// By least squares of what was measured, from how much it was trusted at first; both about their
/// means, since only the order of this kernel's points is said.
double PointModel::trust_in_experience(std::span<MeasuredPoint const> measured) const {
  double error_mean = 0, said_mean = 0, count = double(measured.size());
  auto error = [&](MeasuredPoint const& one) {
    return std::log(one.seconds) - modelled(one.point);
  };
  for (MeasuredPoint const& one : measured) {
    error_mean += error(one) / count;
    said_mean += one.point.experienced / count;
  }
  double together = 0, squares = 0;
  for (MeasuredPoint const& one : measured) {
    double said = one.point.experienced - said_mean;
    together += said * (error(one) - error_mean);
    squares += said * said;
  }
  if (squares <= 0) return 1;
  double first = squares / count * options_.first_trust_trials;
  double fading = std::exp2(-count / options_.trust_halves_after);
  return std::clamp((together + first) / (squares + first), 0.0, 1.0) * fading;
}

size_t PointModel::width_of(KnobFeatures const& features, std::span<SeenPoint const> points) const {
  if (options_.representation == Representation::kKnobs) return kTimeColumns + features.width();
  return kTimeColumns + (points.empty() || !points[0].loops ? 0 : points[0].loops->size());
}

std::vector<float> PointModel::rows(KnobFeatures const& features,
                                    std::span<SeenPoint const> points) const {
  std::vector<float> values(points.size() * width_);
  for (size_t i = 0; i < points.size(); ++i) {
    std::span<float> row = std::span(values).subspan(i * width_, width_);
    fill_times(options_.with_prior ? points[i].modelled : std::nullopt, row.first(kTimeColumns));
    std::span<float> rest = row.subspan(kTimeColumns);
    if (options_.representation == Representation::kKnobs)
      features.fill(points[i].coordinates, rest);
    else if (points[i].loops && points[i].loops->size() == rest.size())
      std::ranges::copy(*points[i].loops, rest.begin());
    else
      std::ranges::fill(rest, std::numeric_limits<float>::quiet_NaN());
  }
  return values;
}

Status PointModel::learn(KnobFeatures const& features, std::span<MeasuredPoint const> measured,
                         uint64_t seed) {
  bool rank = options_.objective == Objective::kPairwiseRank;
  TrainOptions options{.objective = options_.objective,
                       .depth = options_.depth,
                       .learning_rate = options_.learning_rate,
                       .rounds = options_.rounds,
                       .patience = 0,
                       .seed = seed};
  knob_width_ = features.width();
  if (knob_width_ == 0) return {};  // nothing is left open
  std::vector<Coordinates> coordinates;
  std::vector<SeenPoint> points;
  TrainingRows quick{.width = knob_width_}, full;
  level_ = 0;
  trust_ = trust_in_experience(measured);
  for (MeasuredPoint const& one : measured)
    level_ += std::log(one.seconds) / double(measured.size());
  for (MeasuredPoint const& one : measured) {
    coordinates.push_back(one.point.coordinates);
    points.push_back(one.point);
    double time = std::log(one.seconds) - level_;
    quick.targets.push_back(float(-time));  // higher is better
    // An order is learned of the times, beginning with that of the prior; a time from its error.
    full.targets.push_back(float(rank ? -time : prior(one.point) - time));
    if (rank) full.prediction_so_far.push_back(float(-prior(one.point)));
  }
  quick.features = knob_rows(features, coordinates, knob_width_);
  TRY_ASSIGN(TrainedTrees by_knobs, train_trees(quick, options));
  quick_ = std::move(by_knobs.trees);
  TRY(options_.kind == ModelKind::kTreeGru ? learn_network(points, full, seed)
                                           : learn_trees(features, points, full, options));
  learned_ = true;
  return {};
}

Status PointModel::learn_trees(KnobFeatures const& features, std::span<SeenPoint const> points,
                               TrainingRows full, TrainOptions const& options) {
  width_ = full.width = width_of(features, points);
  full.features = rows(features, points);
  if (options_.ensembles > 1) {
    TRY_ASSIGN(full_, train_bootstrap(full, options, options_.ensembles));
    return {};
  }
  TRY_ASSIGN(TrainedTrees by_all, train_trees(full, options));
  full_.ensembles = {std::move(by_all.trees)};
  return {};
}

Status PointModel::learn_network(std::span<SeenPoint const> points, TrainingRows const& full,
                                 uint64_t seed) {
  TreeRows rows;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].program) continue;
    rows.trees.push_back(points[i].program.get());
    rows.targets.push_back(full.targets[i]);
    if (!full.prediction_so_far.empty())
      rows.prediction_so_far.push_back(full.prediction_so_far[i]);
  }
  if (rows.rows() == 0) return {};
  TreeGruOptions options = options_.network;
  options.objective = options_.objective;
  options.seed = seed;
  if (!network_.knows_nothing()) options.steps = options_.steps_again;
  TreeGru const* before = !network_.knows_nothing() ? &network_ : options_.taught.get();
  TRY_ASSIGN(TrainedTreeGru trained, train_tree_gru(rows, options, {}, before));
  network_ = std::move(trained.model);
  return {};
}

std::vector<float> PointModel::by_knobs(KnobFeatures const& features,
                                        std::span<Coordinates const> points) const {
  std::vector<float> values = knob_rows(features, points, knob_width_);
  std::vector<float> better = quick_.predict({values, knob_width_});
  for (float& one : better) one = float(level_) - one;
  return better;
}

Predicted PointModel::corrected(KnobFeatures const& features,
                                std::span<SeenPoint const> points) const {
  Predicted better{std::vector<float>(points.size()), std::vector<float>(points.size())};
  if (options_.kind == ModelKind::kTrees) {
    if (!learned_) return better;
    std::vector<float> values = rows(features, points);
    Uncertain of_trees = full_.predict({values, width_});
    return {std::move(of_trees.means), std::move(of_trees.deviations)};
  }
  TreeGru const* network = learned_ ? &network_ : options_.taught.get();
  if (network == nullptr) return better;
  std::vector<FeatureTree const*> trees;
  for (SeenPoint const& point : points)
    if (point.program) trees.push_back(point.program.get());
  std::vector<float> said = network->predict(trees);
  for (size_t i = 0, next = 0; i < points.size(); ++i)
    if (points[i].program) better.means[i] = said[next++];
  return better;
}

Predicted PointModel::predict_surely(KnobFeatures const& features,
                                     std::span<SeenPoint const> points) const {
  Predicted predicted = corrected(features, points);
  for (size_t i = 0; i < points.size(); ++i)
    predicted.means[i] = float(prior(points[i]) + (learned_ ? level_ : 0)) - predicted.means[i];
  return predicted;
}

std::vector<float> PointModel::predict(KnobFeatures const& features,
                                       std::span<SeenPoint const> points) const {
  return predict_surely(features, points).means;
}

Status PointModel::learn_failures(KnobFeatures const& features,
                                  std::span<MeasuredPoint const> right,
                                  std::span<SeenPoint const> failed, uint64_t seed) {
  if (failed.empty() || features.width() == 0) return {};
  std::vector<Coordinates> points;
  TrainingRows rows{.width = features.width()};
  for (MeasuredPoint const& one : right) points.push_back(one.point.coordinates);
  rows.targets.assign(points.size(), 0);
  for (SeenPoint const& one : failed) points.push_back(one.coordinates);
  rows.targets.resize(points.size(), 1);
  rows.features = knob_rows(features, points, rows.width);
  TrainOptions options{.objective = Objective::kRegression,
                       .least_child_weight = 0.5,
                       .rounds = kFailureRounds,
                       .patience = 0,
                       .seed = seed};
  TRY_ASSIGN(TrainedTrees trained, train_trees(rows, options));
  failing_ = std::move(trained.trees);
  failing_width_ = rows.width;
  return {};
}

std::vector<float> PointModel::failing(KnobFeatures const& features,
                                       std::span<SeenPoint const> points) const {
  if (failing_width_ == 0) return std::vector<float>(points.size(), 0);
  std::vector<Coordinates> coordinates;
  for (SeenPoint const& one : points) coordinates.push_back(one.coordinates);
  std::vector<float> rows = knob_rows(features, coordinates, failing_width_);
  return failing_.predict({rows, failing_width_});
}

}  // namespace tw
