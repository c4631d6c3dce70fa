#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "engine/support/base/side_by_side.h"
#include "engine/tuner/search/search.h"

namespace tw {
namespace {

constexpr size_t kDrawn = 48;         // random points; from the fastest one a descent begins
constexpr int kStartsInVain = 4;      // descents in a row that find nothing to propose
constexpr size_t kAtATime = 12;       // proposals between two descents
constexpr double kWorthTrying = 1.1;  // of the fastest, as it is modelled
constexpr double kNever = std::numeric_limits<double>::infinity();

struct ModelledPoint {
  Point point;
  double seconds = kNever;  ///< as modelled; infinite: rejected, or the model says nothing
};

/// Walks by the target's own model alone, from the schedule by rule and from the best of random
/// points, each time to the fastest neighbour until none is faster; proposes what is modelled to be
/// the fastest. Meant for targets whose model is a simulation.
class ModelledSearch final : public Search {
public:
  using Search::Search;

  Result<std::optional<Candidate>> next() override {
    if (!begun_) {
      begun_ = true;
      TRY_ASSIGN(Candidate rule, space_.by_rule());
      best_ = note(seen(rule));
      if (best_.seconds == kNever)
        return refused("no_time_model",
                       "this target has no time model, or the device's roofs are not known: "
                       "another search is needed");
      proposed_.insert(point_text(rule.point));
      return rule;
    }
    if (plan_.empty()) TRY(explore());
    if (plan_.empty()) return std::optional<Candidate>();
    ModelledPoint one = std::move(plan_.front());
    plan_.pop_front();
    TRY_ASSIGN(Candidate candidate, space_.at(std::move(one.point)));
    candidate.predicted_seconds = one.seconds;
    return candidate;
  }

  Modelled modelled() const override { return modelled_; }

private:
  using Make = std::function<Result<Candidate>(size_t)>;

  ModelledPoint seen(Candidate const& candidate) const {
    if (candidate.rejection) return {candidate.point};
    auto model = space_.modelled(candidate);
    return {candidate.point, model ? model->seconds : kNever};
  }
  ModelledPoint const& note(ModelledPoint const& one) {
    ++modelled_.points;
    return known_[point_text(one.point)] = one;
  }

  /// The fastest of `count` points, which are looked at side by side.
  Result<ModelledPoint> look_at(size_t count, Make const& make) {
    std::vector<Result<ModelledPoint>> found(count);
    side_by_side(count, [&](size_t i) {
      auto candidate = make(i);
      if (candidate)
        found[i] = seen(*candidate);
      else
        found[i] = std::unexpected(candidate.error());
    });
    ModelledPoint fastest;
    for (Result<ModelledPoint> const& one : found) {
      if (!one) return std::unexpected(one.error());
      if (note(*one).seconds <= fastest.seconds) fastest = *one;
    }
    return fastest;
  }

  Status descend(ModelledPoint from) {
    while (from.seconds < kNever) {
      if (from.seconds < best_.seconds) best_ = from;
      TRY_ASSIGN(Candidate here, space_.at(from.point));
      std::vector<Point> points = space_.neighbours(here);
      std::erase_if(points, [&](Point const& one) {
        return known_.contains(point_text(one)) || !asked_.insert(point_text(one)).second;
      });
      if (points.empty()) return {};
      TRY_ASSIGN(ModelledPoint next,
                 look_at(points.size(), [&](size_t i) { return space_.at(points[i]); }));
      if (next.seconds >= from.seconds) return {};
      from = std::move(next);
    }
    return {};
  }

  Result<ModelledPoint> drawn() {
    uint64_t seed = rng_.next();
    return look_at(kDrawn, [&](size_t i) {
      Rng rng(seed + i);
      return space_.random(rng);
    });
  }

  Status explore() {
    auto start = std::chrono::steady_clock::now();
    for (int starts = 0; plan_.empty() && starts < kStartsInVain; ++starts) {
      ModelledPoint from = best_;
      if (std::exchange(left_rule_, true)) {
        TRY_ASSIGN(from, drawn());
      }
      TRY(descend(std::move(from)));
      plan();
    }
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    modelled_.seconds += took.count();
    return {};
  }

  void plan() {
    std::vector<ModelledPoint> worth;
    for (auto const& [name, one] : known_)
      if (one.seconds <= kWorthTrying * best_.seconds && !proposed_.contains(name))
        worth.push_back(one);
    std::ranges::sort(worth, {}, &ModelledPoint::seconds);
    if (worth.size() > kAtATime) worth.resize(kAtATime);
    for (ModelledPoint const& one : worth) proposed_.insert(point_text(one.point));
    plan_.assign(worth.begin(), worth.end());
  }

  bool begun_ = false, left_rule_ = false;
  ModelledPoint best_;
  std::map<std::string, ModelledPoint> known_;  ///< by their texts
  std::set<std::string> asked_;  ///< as they were asked for: with what is as the rule has it
  std::set<std::string> proposed_;
  std::deque<ModelledPoint> plan_;
  Modelled modelled_;
};

}  // namespace

SearchRow modelled_search() {
  return {"modelled", "by the target's own time model alone, a simulation where there is one",
          [](Space const& space, uint64_t seed) -> std::unique_ptr<Search> {
            return std::make_unique<ModelledSearch>(space, seed);
          }};
}

}  // namespace tw
