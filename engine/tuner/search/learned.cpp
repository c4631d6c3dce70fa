#include "engine/tuner/search/learned.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "engine/learning/acquisition.h"
#include "engine/tuner/model/candidate_pool.h"

namespace tw {
namespace {

constexpr size_t kMostPooled = 4000;
constexpr int64_t kMostChanges = 3;  // of the rule's knobs, in a point near it
constexpr size_t kParents = 8;       // near which new points are looked for
constexpr size_t kErrors = 24;       // predictions that are remembered, to know how good they are
constexpr double kDeviations = 2;    // what is not even so much better than predicted gains nothing
constexpr float kLikely = 0.5F, kPenalty = 10;  // who likely fails comes last
constexpr double kFirstDiversity = 0.1;         // before anything was measured
constexpr int kEnsembles = 5;  // that say how sure they are together; the paper's number
constexpr double kTie = 1e-3;  // of the mean, where no improvement is expected of any

/// Learns what points take from what was measured, and proposes those that are predicted to be
/// good: of chains that walk by the knobs alone, and of what is near the best.
class Learned final : public Search {
public:
  Learned(Space const& space, uint64_t seed, LearnedOptions const& options)
      : Search(space, seed),
        options_(options),
        pool_(space, options.model, options.experience),
        chains_(options.chains),
        model_(options.model) {
    for (auto const& [name, value] : space.pinned()) fixed_.insert(name);
  }

  Result<std::optional<Candidate>> next() override;
  void tell(Candidate const& candidate, std::optional<double> seconds) override;

private:
  struct Planned {
    Point point;
    std::optional<double> predicted_seconds;
  };

  Status plan();
  Status grow();
  Result<Candidate> by_chance(size_t number);
  Status add_by_chance(size_t count, size_t most_tries);
  Status add_near_best();
  Status add_from_chains();
  Status begin_by_experience();
  std::vector<float> costs(Predicted const& predicted, std::vector<float> const& failing) const;
  void choose(std::vector<float> const& predicted, std::vector<float> const& cost);
  size_t chosen(std::vector<float> const& cost, std::vector<size_t> const& order,
                std::vector<Coordinates> const& taken);
  bool gains_nothing(std::vector<float> const& predicted) const;
  /// The more is known, the less one more result says.
  size_t batch() const {
    return is_first() ? options_.first
                      : std::clamp(measured_.size() / 4, options_.batch, 4 * options_.batch);
  }
  bool is_first() const {
    return !planned_ || measured_.size() < std::min<size_t>(options_.first, 4);
  }

  LearnedOptions options_;
  CandidatePool pool_;
  Annealing chains_;
  PointModel model_;
  std::set<std::string> fixed_;
  std::optional<Candidate> rule_;
  bool begun_ = false, planned_ = false;
  std::deque<Planned> plan_;
  std::vector<MeasuredPoint> measured_;  ///< what was right
  std::vector<SeenPoint> failed_;
  std::vector<std::pair<double, Candidate>> best_;
  std::deque<double> errors_;  ///< squared, of logarithms
  size_t learned_from_ = 0;
  bool neighbours_known_ = true;  ///< those of the best are or were in the pool
};

Result<std::optional<Candidate>> Learned::next() {
  if (!begun_) {
    begun_ = true;
    TRY(begin_by_experience());
    if (options_.rule_first) {
      TRY_ASSIGN(Candidate rule, space_.by_rule());
      pool_.note(rule);
      rule_ = rule;
      return rule;
    }
  }
  if (plan_.empty()) TRY(plan());
  if (plan_.empty()) return std::optional<Candidate>();
  Planned planned = std::move(plan_.front());
  plan_.pop_front();
  TRY_ASSIGN(Candidate candidate, space_.at(std::move(planned.point)));
  candidate.predicted_seconds = planned.predicted_seconds;
  return candidate;
}

/// What was good of other kernels comes beside the first batch, not instead of some of it.
Status Learned::begin_by_experience() {
  if (!options_.experience) return {};
  for (Point const& point : options_.experience->first()) {
    TRY_ASSIGN(Candidate candidate, space_.at(point));
    if (candidate.rejection) continue;
    pool_.note(candidate);
    plan_.push_back({candidate.point, std::nullopt});
  }
  return {};
}

void Learned::tell(Candidate const& candidate, std::optional<double> seconds) {
  SeenPoint seen = pool_.note(candidate);
  if (!seconds || *seconds <= 0) return failed_.push_back(std::move(seen));
  if (candidate.predicted_seconds) {
    double error = std::log(*seconds / *candidate.predicted_seconds);
    errors_.push_back(error * error);
    if (errors_.size() > kErrors) errors_.pop_front();
  }
  measured_.push_back({std::move(seen), *seconds});
  if (best_.empty() || *seconds < best_.front().first) neighbours_known_ = false;
  auto place = std::ranges::lower_bound(best_, *seconds, {}, [](auto& one) { return one.first; });
  best_.insert(place, {*seconds, candidate});
  if (best_.size() > kParents) best_.pop_back();
}

/// Every other one has a few knobs only that are not as the rule has them: most choices of a large
/// space are bad ones, and all of them at once hardly ever good.
Result<Candidate> Learned::by_chance(size_t number) {
  if (number % 2 == 0 || !rule_) return space_.random(rng_);
  Candidate candidate = *rule_;
  for (int64_t changes = 1 + rng_.below(kMostChanges); changes > 0; --changes) {
    TRY_ASSIGN(candidate, space_.mutated(candidate, rng_));
  }
  return candidate;
}

Status Learned::add_by_chance(size_t count, size_t most_tries) {
  for (size_t tries = 0; count > 0 && tries < most_tries; ++tries) {
    TRY_ASSIGN(bool is_new, pool_.add(by_chance(tries)));
    if (!is_new) continue;
    chains_.begin_at(pool_.points().back().seen.coordinates, rng_);
    --count;
  }
  return {};
}

Status Learned::add_near_best() {
  if (best_.empty()) return {};
  if (!std::exchange(neighbours_known_, true))
    for (Point const& point : space_.neighbours(best_.front().second)) TRY(pool_.add(point));
  for (size_t i = 0; i < options_.from_best; ++i) {
    size_t parent = size_t(rng_.below(int64_t(best_.size())));
    TRY(pool_.add(space_.mutated(best_[parent].second, rng_)));
  }
  for (auto const& [seconds, candidate] : best_)
    chains_.begin_at(pool_.features().coordinates(candidate.knobs), rng_);
  return {};
}

Status Learned::add_from_chains() {
  if (!model_.learned()) return {};
  auto predict = [&](std::span<Coordinates const> points) {
    return model_.by_knobs(pool_.features(), points);
  };
  for (Coordinates const& found :
       chains_.walk(pool_.features(), predict, pool_.known(), fixed_, options_.from_chains, rng_))
    TRY(pool_.add(pool_.features().point(found)));
  return {};
}

Status Learned::grow() {
  if (is_first()) return add_by_chance(8 * options_.first, 40 * options_.first);
  if (measured_.size() + failed_.size() != learned_from_) {
    TRY(model_.learn(pool_.features(), measured_, rng_.next()));
    TRY(model_.learn_failures(pool_.features(), measured_, failed_, rng_.next()));
    learned_from_ = measured_.size() + failed_.size();
  }
  TRY(add_by_chance(options_.batch, options_.batch));
  TRY(add_near_best());
  return add_from_chains();
}

/// Nothing in the pool is predicted to be faster than the best, not even where the prediction is
/// off as predictions were.
bool Learned::gains_nothing(std::vector<float> const& predicted) const {
  if (!model_.says_times() || errors_.size() < kErrors) return false;
  double mean = std::accumulate(errors_.begin(), errors_.end(), 0.0) / double(errors_.size());
  double hope = double(std::ranges::min(predicted)) - kDeviations * std::sqrt(mean);
  return hope >= std::log(best_.front().first);
}

size_t Learned::chosen(std::vector<float> const& cost, std::vector<size_t> const& order,
                       std::vector<Coordinates> const& taken) {
  if (rng_.uniform() < options_.by_chance) return order[size_t(rng_.below(int64_t(order.size())))];
  double weight = model_.learned() ? options_.diversity : kFirstDiversity;
  size_t best = order.front();
  double least = 0;
  for (size_t i = 0; i < std::min(order.size(), options_.choice * batch()); ++i) {
    Coordinates const& point = pool_.points()[order[i]].seen.coordinates;
    int nearest = 4;
    for (Coordinates const& other : taken) {
      int apart = 0;
      for (size_t knob = 0; knob < std::min(point.size(), other.size()); ++knob)
        apart += point[knob] != other[knob];
      nearest = std::min(nearest, apart);
    }
    double one = double(cost[order[i]]) - weight * nearest;
    if (i == 0 || one < least) best = order[i], least = one;
  }
  return best;
}

std::vector<float> Learned::costs(Predicted const& predicted,
                                  std::vector<float> const& failing) const {
  std::vector<float> cost = predicted.means;
  bool surely = options_.acquisition == Acquisition::kMean || !model_.says_times();
  for (size_t i = 0; i < cost.size(); ++i) {
    double better = -double(predicted.means[i]), deviation = double(predicted.deviations[i]);
    if (!surely && options_.acquisition == Acquisition::kUpperConfidence)
      cost[i] = float(-upper_confidence_bound(better, deviation, options_.deviations));
    if (!surely && options_.acquisition == Acquisition::kExpectedImprovement)
      cost[i] = float(-kTie * better -
                      expected_improvement(better, deviation, -std::log(best_.front().first)));
    if (failing[i] > kLikely) cost[i] += kPenalty;
  }
  return cost;
}

void Learned::choose(std::vector<float> const& predicted, std::vector<float> const& cost) {
  std::vector<size_t> order(predicted.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, {}, [&](size_t one) { return cost[one]; });
  std::vector<Coordinates> taken;
  std::vector<size_t> numbers;
  size_t count = batch();
  while (numbers.size() < count && !order.empty()) {
    size_t number = chosen(cost, order, taken);
    std::erase(order, number);
    numbers.push_back(number);
    taken.push_back(pool_.points()[number].seen.coordinates);
    Planned planned{pool_.points()[number].point, std::nullopt};
    if (model_.says_times()) planned.predicted_seconds = std::exp(double(predicted[number]));
    plan_.push_back(std::move(planned));
  }
  order.resize(std::min(order.size(), kMostPooled));
  pool_.keep(order);
}

Status Learned::plan() {
  TRY(grow());
  if (pool_.points().empty()) return {};
  std::vector<SeenPoint> seen;
  for (PooledPoint const& one : pool_.points()) seen.push_back(one.seen);
  Predicted predicted = model_.predict_surely(pool_.features(), seen);
  if (!gains_nothing(predicted.means))
    choose(predicted.means, costs(predicted, model_.failing(pool_.features(), seen)));
  planned_ = true;
  return {};
}

LearnedOptions options_of(SearchHelp const& help) {
  Learning const& wanted = help.learning;
  LearnedOptions options{.acquisition = wanted.acquisition,
                         .deviations = wanted.deviations,
                         .experience = help.experience,
                         .by_chance = wanted.by_chance,
                         .choice = wanted.choice};
  options.model.kind = wanted.model;
  options.model.objective = wanted.objective;
  if (wanted.acquisition != Acquisition::kMean) options.model.ensembles = kEnsembles;
  return options;
}

}  // namespace

std::unique_ptr<Search> make_learned_search(Space const& space, uint64_t seed,
                                            LearnedOptions const& options) {
  return std::make_unique<Learned>(space, seed, options);
}

SearchRow learned_search() {
  return {"learned", "learned correction of the analytical cost model",
          [](Space const& space, uint64_t seed) { return make_learned_search(space, seed, {}); },
          [](Space const& space, uint64_t seed, SearchHelp const& help) {
            return make_learned_search(space, seed, options_of(help));
          }};
}

}  // namespace tw
