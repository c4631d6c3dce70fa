#include "engine/tuner/model/point_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tw {
namespace {

/// Of the target's model: its time, its arithmetic, and the nearest levels of memory.
constexpr size_t kLevels = 4;
constexpr size_t kModelColumns = 2 + kLevels;
constexpr int kFailureRounds = 15;

float logarithm(double seconds) {
  return seconds > 0 ? float(std::log2(seconds)) : std::numeric_limits<float>::quiet_NaN();
}

void fill_modelled(std::optional<analysis::TimeModel> const& modelled, std::span<float> row) {
  std::ranges::fill(row, std::numeric_limits<float>::quiet_NaN());
  if (!modelled) return;
  row[0] = logarithm(modelled->seconds);
  row[1] = logarithm(modelled->arithmetic_seconds);
  for (size_t i = 0; i < std::min(kLevels, modelled->levels.size()); ++i)
    row[2 + i] = logarithm(modelled->levels[i].seconds);
}

std::vector<float> knob_rows(KnobFeatures const& features, std::span<Coordinates const> points,
                             size_t width) {
  std::vector<float> values(points.size() * width);
  for (size_t i = 0; i < points.size(); ++i)
    features.fill(points[i], std::span(values).subspan(i * width, width));
  return values;
}

}  // namespace

double PointModel::prior(SeenPoint const& point) const {
  bool says = options_.with_prior && point.modelled && point.modelled->seconds > 0;
  return says ? std::log(point.modelled->seconds) : 0.0;
}

std::vector<float> PointModel::rows(KnobFeatures const& features,
                                    std::span<SeenPoint const> points) const {
  size_t width = kModelColumns + knob_width_;
  std::vector<float> values(points.size() * width);
  for (size_t i = 0; i < points.size(); ++i) {
    std::span<float> row = std::span(values).subspan(i * width, width);
    fill_modelled(options_.with_prior ? points[i].modelled : std::nullopt,
                  row.first(kModelColumns));
    features.fill(points[i].coordinates, row.subspan(kModelColumns));
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
  TrainingRows quick{.width = knob_width_}, full{.width = kModelColumns + knob_width_};
  level_ = 0;
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
  full.features = rows(features, points);
  TRY_ASSIGN(TrainedTrees by_knobs, train_trees(quick, options));
  TRY_ASSIGN(TrainedTrees by_all, train_trees(full, options));
  quick_ = std::move(by_knobs.trees);
  full_ = std::move(by_all.trees);
  learned_ = true;
  return {};
}

std::vector<float> PointModel::by_knobs(KnobFeatures const& features,
                                        std::span<Coordinates const> points) const {
  std::vector<float> values = knob_rows(features, points, knob_width_);
  std::vector<float> better = quick_.predict({values, knob_width_});
  for (float& one : better) one = float(level_) - one;
  return better;
}

std::vector<float> PointModel::predict(KnobFeatures const& features,
                                       std::span<SeenPoint const> points) const {
  std::vector<float> predicted(points.size());
  if (learned_) {
    std::vector<float> values = rows(features, points);
    full_.predict({values, kModelColumns + knob_width_}, predicted);
  }
  for (size_t i = 0; i < points.size(); ++i)
    predicted[i] = float(prior(points[i]) + (learned_ ? level_ : 0)) - predicted[i];
  return predicted;
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
