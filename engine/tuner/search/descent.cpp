#include <algorithm>

#include "engine/tuner/search/search.h"

namespace tw {
namespace {

/// From the schedule by rule, knob by knob: all points that differ in one from the best, in random
/// order; a better one becomes the best at once. It ends where every neighbour was tried.
class Descent final : public Search {
public:
  using Search::Search;

  Result<std::optional<Candidate>> next() override {
    if (!begun_) {
      begun_ = true;
      TRY_ASSIGN(Candidate rule, space_.by_rule());
      return rule;
    }
    if (waiting_.empty()) return std::optional<Candidate>();
    Point point = std::move(waiting_.back());
    waiting_.pop_back();
    TRY_ASSIGN(Candidate candidate, space_.at(std::move(point)));
    return candidate;
  }

  void tell(Candidate const& candidate, std::optional<double> seconds) override {
    if (!seconds || (best_ && *seconds >= *best_)) return;
    best_ = seconds;
    waiting_ = space_.neighbours(candidate);
    for (size_t i = waiting_.size(); i > 1; --i)
      std::swap(waiting_[i - 1], waiting_[size_t(rng_.below(int64_t(i)))]);
  }

private:
  bool begun_ = false;
  std::optional<double> best_;
  std::vector<Point> waiting_;
};

}  // namespace

SearchRow descent_search() {
  return {
      "descent",
      "from the default schedule, one knob at a time, until no change helps (coordinate descent)",
      [](Space const& space, uint64_t seed) -> std::unique_ptr<Search> {
        return std::make_unique<Descent>(space, seed);
      }};
}

}  // namespace tw
