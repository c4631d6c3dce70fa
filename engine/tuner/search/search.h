/// Which candidate comes next: told what became of those before.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/tuner/search/learning.h"
#include "engine/tuner/space.h"

namespace tw {

/// Points that the target's own model of time was asked about.
struct Modelled {
  int64_t points = 0;
  double seconds = 0;  ///< of the wall's clock
};

/// Not thread-safe.
class Search {
public:
  explicit Search(Space const& space, uint64_t seed) : space_(space), rng_(seed) {}
  virtual ~Search() = default;

  /// Nothing: it has converged, or knows no other point. It may propose a point twice. Errors:
  /// those of the space.
  virtual Result<std::optional<Candidate>> next() = 0;
  /// What a proposed candidate took in seconds; nothing: it was not right, or did not run.
  virtual void tell(Candidate const&, std::optional<double>) {}
  /// What it looked at without a device.
  virtual Modelled modelled() const { return {}; }

protected:
  Space const& space_;
  Rng rng_;
};

class TransferHistory;

/// What a search that learns may use.
struct SearchHelp {
  std::shared_ptr<TransferHistory const>
      experience;  ///< what other kernels' trials teach; null: nothing
  Learning learning = {};
};

/// Made of the files in this folder: each one search.
struct SearchRow {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<Search> (*make)(Space const&, uint64_t seed);
  /// Null: it does not learn.
  std::unique_ptr<Search> (*make_with)(Space const&, uint64_t seed, SearchHelp const&) = nullptr;
};
SearchRow learned_search();
SearchRow random_search();
SearchRow genetic_search();
SearchRow descent_search();
SearchRow modelled_search();

/// The first is what is used where none is named.
std::vector<SearchRow> const& searches();
/// Errors: unknown_search, with those there are.
Result<SearchRow> find_search(std::string_view name);

}  // namespace tw
