#include "engine/tuner/search/search.h"

namespace tw {
namespace {

class RandomSearch final : public Search {
public:
  using Search::Search;
  Result<std::optional<Candidate>> next() override {
    TRY_ASSIGN(Candidate candidate, space_.random(rng_));
    return candidate;
  }
};

}  // namespace

SearchRow random_search() {
  return {"random", "random sampling (baseline)",
          [](Space const& space, uint64_t seed) -> std::unique_ptr<Search> {
            return std::make_unique<RandomSearch>(space, seed);
          }};
}

}  // namespace tw
