#include "engine/tuner/study/claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"
#include "engine/support/chart.h"
#include "engine/tuner/features/loop_features.h"
#include "engine/tuner/study/asked.h"

namespace tw {
std::string_view name_of(Verdict verdict) {
  constexpr std::string_view kNames[] = {"holds", "holds in part", "does not hold here",
                                         "cannot be asked"};
  return kNames[size_t(verdict)];
}

Result<StudiedTable> studied(StudyTable const& table, std::shared_ptr<Backend const> backend,
                             double reference) {
  StudiedTable made{.name = table.kernel};
  TRY_ASSIGN(made.space, TableSpace::create(table, std::move(backend)));
  TRY_ASSIGN(made.times, TableTimes::create(*made.space, table));
  for (Candidate const& row : made.space->rows()) {
    std::optional<double> const* seconds = made.times.find(row.schedule.script());
    made.seconds.push_back(seconds != nullptr && *seconds ? **seconds : 0);
  }
  made.kind = nest_shape(made.space->program()).kind;
  made.reference = reference;
  made.reference_is_rule = reference <= 0;
  if (reference > 0) return made;
  TRY_ASSIGN(Candidate rule, made.space->by_rule());
  std::optional<double> const* seconds = made.times.find(rule.schedule.script());
  if (seconds != nullptr && *seconds) made.reference = **seconds;
  return made;
}

Result<Curve> ClaimStudy::run(size_t table, Arm const& arm, int times) {
  StudiedTable const& one = tables_[table];
  // A run of more trials has a shorter one as its beginning.
  Run& known = known_[{arm.name, table}];
  int trials = times * options_.trials;
  if (known.trials >= trials) return known.curve;
  if (options_.on_run) options_.on_run(arm.name, one.name);
  Curve curve{arm.name, {}, one.times.best()};
  for (int seed = 1; seed <= options_.seeds; ++seed) {
    if (options_.stop.stop_requested()) return refused("cancelled", "the study was cancelled");
    TRY_ASSIGN(Replayed run, replay(*arm.make(*one.space, uint64_t(seed)), one.times, trials));
    curve.runs.push_back(std::move(run));
  }
  known = {std::move(curve), trials};
  return known.curve;
}

Result<std::vector<Curve>> ClaimStudy::run_all(Arm const& arm, int times) {
  std::vector<Curve> curves;
  for (size_t table = 0; table < tables_.size(); ++table) {
    TRY_ASSIGN(Curve curve, run(table, arm, times));
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<ClaimRow> const& claims() {
  static std::vector<ClaimRow> const rows = {
      {"R1", "a learned search is ahead of chance and of a genetic one", ask_learned},
      {"R2", "a learned search passes the reference, and sooner than the others", ask_reference},
      {"R3", "learning the order is slightly better than learning times", ask_objective},
      {"R4", "choosing different points never harms, and sometimes helps", ask_diversity},
      {"R5", "knowing how sure the model is does not help", ask_uncertainty},
      {"R6", "other kernels' trials save 2 to 10 times the trials", ask_transfer},
      {"R7", "the further the kernel, the more invariant features must be", ask_representation},
      {"R8", "some random points in each batch are no worse than none", ask_chance},
      {"R9", "a prediction costs thousands of times less than a trial", ask_costs},
      {"R10", "a recursive network over loops searches as well as boosted trees", ask_network}};
  return rows;
}

Result<ClaimRow> find_claim(std::string_view key) {
  std::string known;
  for (ClaimRow const& row : claims()) {
    if (row.key == key) return row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.key);
  }
  return bad_input("unknown_claim",
                   fmt::format("there is no claim '{}'; there are {}", key, known));
}

namespace {

std::string bars_svg(std::string title, ClaimResult const& result) {
  BarChart chart{std::move(title),
                 "What a search spends on a point, once for each; learning, once for each batch.",
                 "processor time, a logarithmic scale",
                 "s",
                 {}};
  for (TimedThing const& thing : result.times)
    chart.bars.push_back({thing.name, thing.seconds, duration_text(thing.seconds)});
  return to_svg(chart);
}

/// From the second trial on: the first one says nothing of a search.
double least_mean(ClaimResult const& result, int trials) {
  double least = 1;
  for (auto const& [table, curves] : result.curves)
    for (Curve const& curve : curves) least = std::min(least, band_of(curve, trials).mean[1]);
  return least;
}

}  // namespace

std::string claim_svg(ClaimRow const& claim, ClaimResult const& result, int trials, int seeds) {
  std::string title = fmt::format("{}: {} - {}", claim.key, claim.title, name_of(result.verdict));
  if (result.curves.empty()) return bars_svg(std::move(title), result);
  LineChart chart{std::move(title),
                  fmt::format("Best so far, mean of {} seeds; the band is half a standard "
                              "deviation on either side.",
                              seeds),
                  "trials, each step twice as many",
                  "speed, share of the table's best",
                  true,
                  least_mean(result, trials),
                  {}};
  for (auto const& [table, curves] : result.curves) {
    ChartPanel panel{table, {}, {}, {}};
    for (Curve const& curve : curves) {
      Band band = band_of(curve, trials);
      bool compressed = curve.arm.ends_with(kTwice);
      panel.series.push_back({curve.arm, band.mean, band.low, band.high, compressed});
      if (compressed) panel.series.back().low.clear();
    }
    if (auto level = result.levels.find(table); level != result.levels.end()) {
      panel.level = level->second;
      panel.level_name = result.level_name;
    }
    chart.panels.push_back(std::move(panel));
  }
  return to_svg(chart);
}

}  // namespace tw
