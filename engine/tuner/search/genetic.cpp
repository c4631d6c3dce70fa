#include <algorithm>

#include "engine/tuner/search/genetic.h"

namespace tw {
namespace {

constexpr size_t kParents = 16;
constexpr size_t kFirst = 8;           // by chance, after the one by rule
constexpr double kByChance = 0.1;      // of the later ones: what the best are blind to is seen, too
constexpr double kOfTwoParents = 0.3;  // of the others; the rest changes one knob of one parent

/// The best so far have children: one knob changed, or knobs of two of them mixed. The better a
/// parent, the more often it is taken.
class Genetic final : public Search {
public:
  Genetic(Space const& space, uint64_t seed, bool rule_first)
      : Search(space, seed), rule_first_(rule_first) {}

  Result<std::optional<Candidate>> next() override {
    size_t number = proposed_++;
    if (number == 0 && rule_first_) return one(space_.by_rule());
    if (number <= kFirst || parents_.empty() || rng_.uniform() < kByChance)
      return one(space_.random(rng_));
    if (rng_.uniform() < kOfTwoParents) return one(space_.at(mixed(parent(), parent())));
    return one(space_.mutated(parent(), rng_));
  }

  void tell(Candidate const& candidate, std::optional<double> seconds) override {
    if (!seconds) return;
    parents_.insert(std::ranges::lower_bound(parents_, *seconds, {}, &Parent::seconds),
                    {*seconds, candidate});
    if (parents_.size() > kParents) parents_.pop_back();
  }

private:
  struct Parent {
    double seconds;
    Candidate candidate;
  };

  static Result<std::optional<Candidate>> one(Result<Candidate> candidate) {
    if (!candidate) return std::unexpected(candidate.error());
    return std::optional<Candidate>(std::move(*candidate));
  }
  /// The lower of two draws: twice as often of the better half.
  Candidate const& parent() {
    int64_t count = int64_t(parents_.size());
    return parents_[size_t(std::min(rng_.below(count), rng_.below(count)))].candidate;
  }
  Point mixed(Candidate const& one, Candidate const& other) {
    Point point;
    for (Candidate const* from : {&one, &other})
      for (Knob const& knob : from->knobs)
        if (from == &one || rng_.uniform() < 0.5) point[knob.name] = knob.value();
    return point;
  }

  bool rule_first_;
  size_t proposed_ = 0;
  std::vector<Parent> parents_;  ///< the best first
};

}  // namespace

std::unique_ptr<Search> make_genetic_search(Space const& space, uint64_t seed, bool rule_first) {
  return std::make_unique<Genetic>(space, seed, rule_first);
}

SearchRow genetic_search() {
  return {"genetic", "children of the best so far, by mutation and crossover",
          [](Space const& space, uint64_t seed) { return make_genetic_search(space, seed); }};
}

}  // namespace tw
