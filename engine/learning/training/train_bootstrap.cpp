#include <fmt/format.h>

#include <map>

#include "engine/learning/training/train_trees.h"
#include "engine/support/base/random.h"

namespace tw {
namespace {

/// As many rows of each group as it has, drawn with replacement.
std::vector<size_t> resample(TrainingRows const& rows, Rng& rng) {
  std::map<int32_t, std::vector<size_t>> members;
  for (size_t i = 0; i < rows.rows(); ++i)
    members[rows.groups.empty() ? 0 : rows.groups[i]].push_back(i);
  std::vector<size_t> drawn;
  for (auto const& [group, numbers] : members)
    for (size_t i = 0; i < numbers.size(); ++i)
      drawn.push_back(numbers[size_t(rng.below(int64_t(numbers.size())))]);
  return drawn;
}

}  // namespace

Result<Bootstrap> train_bootstrap(TrainingRows const& rows, TrainOptions const& options, int count,
                                  StopToken stop) {
  TRY(check(rows));
  if (count < 1)
    return bad_input("bad_option",
                     fmt::format("a bootstrap has 1 ensemble or more, not {}", count));
  Rng rng(options.seed);
  Bootstrap made;
  for (int i = 0; i < count; ++i) {
    TRY_ASSIGN(auto trained, train_trees(chosen_rows(rows, resample(rows, rng)), options, stop));
    made.ensembles.push_back(std::move(trained.trees));
  }
  return made;
}

}  // namespace tw
