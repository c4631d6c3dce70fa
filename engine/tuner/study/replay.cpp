#include "engine/tuner/study/replay.h"

#include <algorithm>
#include <ctime>
#include <deque>
#include <limits>
#include <set>

namespace tw {
namespace {

constexpr int kMostInVain = 2000;  // as on a device
constexpr size_t kAhead = 2;
constexpr double kNear = 0.95;

double median(std::vector<double> values) {
  auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// From 1; more than all: never.
double trials_to(Replayed const& run, double seconds) {
  auto there = std::ranges::find_if(
      run.best, [&](double best) { return best > 0 && best * kNear <= seconds; });
  return there == run.best.end() ? std::numeric_limits<double>::infinity()
                                 : double(there - run.best.begin() + 1);
}

/// A run that has converged stays where it is.
double regret_after(Replayed const& run, size_t trial, double best) {
  if (run.best.empty()) return std::numeric_limits<double>::infinity();
  double reached = run.best[std::min(trial, run.best.size() - 1)];
  return reached > 0 ? reached / best - 1 : std::numeric_limits<double>::infinity();
}

}  // namespace

Result<TableTimes> TableTimes::create(Space const& space, StudyTable const& table) {
  TableTimes times;
  for (TableRow const& row : table.rows) {
    TRY_ASSIGN(Candidate candidate, space.at(row.point));
    times.times_.emplace(candidate.schedule.script(), row.seconds);
    if (row.seconds && (times.best_ == 0 || *row.seconds < times.best_)) times.best_ = *row.seconds;
  }
  if (times.best_ == 0) return bad_input("bad_table", "no configuration of the table was correct");
  return times;
}

std::optional<double> const* TableTimes::find(std::string const& script) const {
  auto place = times_.find(script);
  return place == times_.end() ? nullptr : &place->second;
}

Result<Replayed> replay(Search& search, TableTimes const& times, int trials) {
  Replayed run;
  std::set<std::string> known;
  std::deque<std::pair<Candidate, std::optional<double>>> untold;
  auto tell_one = [&] {
    search.tell(untold.front().first, untold.front().second);
    untold.pop_front();
  };
  std::clock_t start = std::clock();
  for (int in_vain = 0; int(run.best.size()) < trials && in_vain < kMostInVain;) {
    TRY_ASSIGN(std::optional<Candidate> candidate, search.next());
    if (!candidate && untold.empty()) {
      run.converged = true;
      break;
    }
    if (!candidate) {
      tell_one();
      continue;
    }
    std::string script = candidate->schedule.script();
    std::optional<double> const* seconds = times.find(script);
    if (candidate->rejection || seconds == nullptr || !known.insert(script).second) {
      ++in_vain;
      continue;
    }
    in_vain = 0;
    double best = run.best.empty() ? 0 : run.best.back();
    if (*seconds && (best == 0 || **seconds < best)) best = **seconds;
    run.best.push_back(best);
    untold.emplace_back(std::move(*candidate), *seconds);
    if (untold.size() > kAhead) tell_one();
  }
  run.seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  return run;
}

Result<SearchSummary> summarize(SearchRow const& row, Space const& space, TableTimes const& times,
                                int trials, int seeds) {
  SearchSummary summary{.search = std::string(row.name)};
  std::vector<double> to_95;
  size_t all = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    TRY_ASSIGN(Replayed run, replay(*row.make(space, uint64_t(seed)), times, trials));
    to_95.push_back(trials_to(run, times.best()));
    summary.seconds_per_trial += run.seconds;
    all += run.best.size();
    summary.runs.push_back(std::move(run));
  }
  summary.seconds_per_trial /= double(std::max<size_t>(all, 1));
  double middle = median(to_95);
  if (middle <= double(trials)) summary.trials_to_95 = int(middle);
  for (size_t trial = 0; trial < size_t(trials); ++trial) {
    std::vector<double> regrets;
    for (Replayed const& run : summary.runs)
      regrets.push_back(regret_after(run, trial, times.best()));
    summary.regret.push_back(median(std::move(regrets)));
  }
  return summary;
}

}  // namespace tw
