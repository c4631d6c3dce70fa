#include "engine/tuner/model/annealing.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tw {
namespace {

/// The best that were met, each once.
class Best {
public:
  Best(size_t count, std::set<Coordinates> const& known) : count_(count), known_(known) {}
  void take(Coordinates const& point, float predicted) {
    if (order_.size() >= count_ && predicted >= order_.rbegin()->first) return;
    if (known_.contains(point) || !points_.insert(point).second) return;
    order_.emplace(predicted, point);
    if (order_.size() <= count_) return;
    points_.erase(std::prev(order_.end())->second);
    order_.erase(std::prev(order_.end()));
  }
  std::vector<Coordinates> points() const {
    std::vector<Coordinates> points;
    for (auto const& [predicted, point] : order_) points.push_back(point);
    return points;
  }

private:
  size_t count_;
  std::set<Coordinates> const& known_;
  std::set<Coordinates> points_;
  std::multimap<float, Coordinates> order_;
};

}  // namespace

void Annealing::begin_at(Coordinates const& point, Rng& rng) {
  if (chains_.size() < options_.chains)
    chains_.push_back(point);
  else
    chains_[size_t(rng.below(int64_t(chains_.size())))] = point;
}

/// One knob changed: to a value beside its own, or as often to any other one.
Coordinates Annealing::moved(KnobFeatures const& features, std::span<size_t const> free,
                             Coordinates from, Rng& rng) const {
  std::vector<size_t> asked;
  for (size_t knob : free)
    if (knob < from.size() && from[knob] != kNotAsked) asked.push_back(knob);
  if (asked.empty()) return from;
  size_t knob = asked[size_t(rng.below(int64_t(asked.size())))];
  int count = int(features.values(knob).size());
  int other = from[knob] + (rng.below(2) == 0 ? -1 : 1);
  if (rng.below(2) == 0 || other < 0 || other >= count) {
    other = int(rng.below(count - 1));
    other += other >= from[knob];
  }
  from[knob] = other;
  return from;
}

std::vector<Coordinates> Annealing::walk(KnobFeatures const& features, Predict const& predict,
                                         std::set<Coordinates> const& known,
                                         std::set<std::string> const& fixed, size_t count,
                                         Rng& rng) {
  if (chains_.empty()) return {};
  std::vector<size_t> free;
  for (size_t i = 0; i < features.knobs(); ++i)
    if (features.values(i).size() > 1 && !fixed.contains(features.name(i))) free.push_back(i);
  Best best(count, known);
  std::vector<float> now = predict(chains_);
  std::vector<Coordinates> next(chains_.size());
  for (int step = 0; step < options_.steps; ++step) {
    double heat = options_.hottest * (1 - double(step) / options_.steps);
    for (size_t i = 0; i < chains_.size(); ++i) next[i] = moved(features, free, chains_[i], rng);
    std::vector<float> predicted = predict(next);
    for (size_t i = 0; i < chains_.size(); ++i) {
      best.take(next[i], predicted[i]);
      double worse = double(predicted[i]) - double(now[i]);
      if (worse > 0 && rng.uniform() >= std::exp(-worse / std::max(heat, 1e-9))) continue;
      now[i] = predicted[i];
      chains_[i] = next[i];
    }
  }
  return best.points();
}

}  // namespace tw
