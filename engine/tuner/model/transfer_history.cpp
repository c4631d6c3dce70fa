#include "engine/tuner/model/transfer_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/tuner/features/time_features.h"

namespace tw {

std::vector<float> program_features(Representation representation, LoopNest const& nest) {
  switch (representation) {
    case Representation::kKnobs:
      return {};
    case Representation::kContext:
      return context_features(nest);
    case Representation::kRelation:
      return relation_features(nest);
  }
  return {};
}

std::vector<float> TransferHistory::row(std::vector<Knob> const& knobs, LoopNest const& nest,
                                        std::optional<analysis::TimeModel> const& modelled) const {
  std::vector<float> row(width_, std::numeric_limits<float>::quiet_NaN());
  std::span<float> all = row;
  fill_time_shares(options_.with_prior ? modelled : std::nullopt, all.first(kTimeColumns));
  std::span<float> rest = all.subspan(kTimeColumns);
  if (options_.representation != Representation::kKnobs) {
    std::ranges::copy(program_features(options_.representation, nest), rest.begin());
    return row;
  }
  KnobFeatures seen = knobs_;  // what is new here has columns behind those that were learned
  seen.see(knobs);
  seen.fill(seen.coordinates(knobs), rest);
  return row;
}

namespace {

double prior_of(TransferredTrial const& trial, bool with_prior) {
  bool says = with_prior && trial.modelled && trial.modelled->seconds > 0;
  return says ? std::log(trial.modelled->seconds) : 0.0;
}

/// Of each task, the mean of what is to be learned.
std::map<std::string, double> levels_of(std::vector<TransferredTrial> const& trials,
                                        bool with_prior) {
  std::map<std::string, std::pair<double, double>> sums;
  for (TransferredTrial const& one : trials) {
    auto& [sum, count] = sums[one.task];
    sum += std::log(one.seconds) - prior_of(one, with_prior);
    ++count;
  }
  std::map<std::string, double> levels;
  for (auto const& [task, sum] : sums) levels[task] = sum.first / sum.second;
  return levels;
}

}  // namespace

Result<std::shared_ptr<TransferHistory const>> TransferHistory::learn(
    std::vector<TransferredTrial> const& trials, TransferHistoryOptions const& options,
    std::vector<Point> first, uint64_t seed) {
  auto made = std::make_shared<TransferHistory>();
  made->options_ = options;
  made->first_ = std::move(first);
  for (TransferredTrial const& one : trials) made->knobs_.see(one.knobs);
  size_t of_program = program_features(options.representation, {}).size();
  made->width_ = kTimeColumns + (of_program > 0 ? of_program : made->knobs_.width());
  made->trees_ = TreeEnsemble(made->width_);
  if (trials.empty()) return made;
  std::map<std::string, double> levels = levels_of(trials, options.with_prior);
  TrainingRows rows{.width = made->width_};
  for (TransferredTrial const& one : trials) {
    double time = std::log(one.seconds) - prior_of(one, options.with_prior) - levels[one.task];
    rows.targets.push_back(float(-time));  // higher is better
    std::vector<float> row = made->row(one.knobs, one.nest, one.modelled);
    rows.features.insert(rows.features.end(), row.begin(), row.end());
  }
  TRY_ASSIGN(TrainedTrees trained, train_trees(rows, {.objective = Objective::kRegression,
                                                      .depth = options.depth,
                                                      .learning_rate = options.learning_rate,
                                                      .rounds = options.rounds,
                                                      .patience = 0,
                                                      .seed = seed}));
  made->trees_ = std::move(trained.trees);
  return made;
}

double TransferHistory::predict(std::vector<Knob> const& knobs, LoopNest const& nest,
                                std::optional<analysis::TimeModel> const& modelled) const {
  return -double(trees_.predict({row(knobs, nest, modelled), width_}).front());
}

}  // namespace tw
