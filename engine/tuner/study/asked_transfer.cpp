#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/tuner/study/arms.h"
#include "engine/tuner/study/asked.h"

namespace tw {
namespace {

constexpr size_t kRows = 300;    // of each table that is learned from
constexpr size_t kFirst = 1;     // of each, that are tried first
constexpr double kWorthIt = 2;   // how many times fewer trials the paper found at least
constexpr double kOrders = 0.1;  // a tau that says more than nothing

using Tables = std::vector<StudiedTable const*>;

Tables others(ClaimStudy const& study, size_t target, bool same_kind) {
  Tables tables;
  for (size_t i = 0; i < study.tables().size(); ++i)
    if (i != target && (study.tables()[i].kind == study.tables()[target].kind) == same_kind)
      tables.push_back(&study.tables()[i]);
  return tables;
}

/// Trials to the speed that the search reaches by itself after half of its trials, and with help.
struct Fewer {
  int alone = 0;
  std::optional<int> helped;
  double times(int trials) const { return double(alone) / double(helped.value_or(trials)); }
};

Fewer fewer_trials(Curve const& alone, Curve const& helped, int trials) {
  double speed = band_of(alone, trials).mean[size_t(trials) / 2 - 1];
  return {trials_to_speed(alone, speed, trials).value_or(trials),
          trials_to_speed(helped, speed, trials)};
}

}  // namespace

Result<ClaimResult> ask_transfer(ClaimStudy& study) {
  std::vector<Curve> alone, helped, ours, ours_helped;
  ClaimResult result;
  std::string each;
  double logarithms = 0;
  for (size_t i = 0; i < study.tables().size(); ++i) {
    Tables sources = others(study, i, true);
    if (sources.empty()) continue;
    LearnedOptions with = paper_options(), ours_with;
    TRY_ASSIGN(with.experience, experience_of(sources, {.with_prior = false}, kRows));
    TRY_ASSIGN(ours_with.experience,
               experience_of(sources, {}, kRows, best_points(sources, kFirst)));
    TRY_ASSIGN(Curve scratch, study.run(i, paper_arm()));
    TRY_ASSIGN(Curve transfer, study.run(i, learned_arm("learned, with experience", with)));
    TRY_ASSIGN(Curve tune, study.run(i, our_arm()));
    TRY_ASSIGN(Curve tune_with, study.run(i, learned_arm("tw tune, with experience", ours_with)));
    Fewer fewer = fewer_trials(scratch, transfer, study.trials());
    logarithms += std::log(fewer.times(study.trials()));
    each += fmt::format("; {} {} against {}", study.tables()[i].name,
                        fewer.helped ? fmt::format("{}", *fewer.helped) : "never", fewer.alone);
    result.curves[study.tables()[i].name] = {scratch, transfer, tune, tune_with};
    alone.push_back(scratch), helped.push_back(transfer);
    ours.push_back(tune), ours_helped.push_back(tune_with);
  }
  if (alone.empty()) {
    result.sentence = "No two tables are of kernels that compute in one way.";
    return result;
  }
  double times = std::exp(logarithms / double(alone.size()));
  result.verdict = times >= kWorthIt ? Verdict::kHolds
                   : times > 1       ? Verdict::kPartly
                                     : Verdict::kFails;
  result.sentence = fmt::format(
      "With the other tables of its kind as history, the speed of half of the trials takes {:.1f} "
      "times fewer trials (trials with and without{}); over all trials the search is {}. `tw tune` "
      "with history is, to itself without, {}.",
      times, each, words_of(versus(helped, alone, study.trials())),
      words_of(versus(ours_helped, ours, study.trials())));
  return result;
}

namespace {

constexpr std::pair<char const*, Representation> kRepresentations[] = {
    {"knobs", Representation::kKnobs},
    {"loop context", Representation::kContext},
    {"relations", Representation::kRelation}};

/// What one representation carries over, from one kind of tables.
struct Carried {
  double tau = 0;  ///< mean over targets
  std::vector<std::string> tables;
  std::vector<Curve> alone, helped;
};

Result<Carried> carried(ClaimStudy& study, std::string const& name, Representation representation,
                        bool same_kind) {
  Carried carried;
  for (size_t i = 0; i < study.tables().size(); ++i) {
    Tables sources = others(study, i, same_kind);
    if (sources.empty()) continue;
    LearnedOptions options = paper_options();
    options.model.representation = representation;
    TransferHistoryOptions how{.representation = representation, .with_prior = false};
    TRY_ASSIGN(options.experience, experience_of(sources, how, kRows));
    carried.tau += order_of(*options.experience, study.tables()[i]);
    Arm arm =
        learned_arm(fmt::format("{}, from {}", name, same_kind ? "its kind" : "others"), options);
    TRY_ASSIGN(Curve alone, study.run(i, paper_arm()));
    TRY_ASSIGN(Curve helped, study.run(i, arm));
    carried.tables.push_back(study.tables()[i].name);
    carried.alone.push_back(std::move(alone)), carried.helped.push_back(std::move(helped));
  }
  if (!carried.alone.empty()) carried.tau /= double(carried.alone.size());
  return carried;
}

/// Near, every representation helps; far, relations do, and knobs do not.
Verdict verdict_on(Carried const (&near)[3], Carried const (&far)[3], int trials) {
  auto helps = [&](Carried const& one) {
    return one.tau > kOrders && versus(one.helped, one.alone, trials).is_ahead();
  };
  bool all_near = std::ranges::all_of(near, helps);
  bool only_relations = helps(far[2]) && !helps(far[0]) && far[2].tau > far[0].tau;
  bool orders = far[2].tau > kOrders && far[2].tau > far[0].tau;
  return all_near && only_relations ? Verdict::kHolds
         : all_near || orders       ? Verdict::kPartly
                                    : Verdict::kFails;
}

std::string words_of_all(Carried const (&all)[3], int trials) {
  std::string words;
  for (size_t r = 0; r < 3; ++r)
    words += fmt::format("{}{} (tau {:.2f}) {}", r == 0 ? "" : ", ", kRepresentations[r].first,
                         all[r].tau, words_of(versus(all[r].helped, all[r].alone, trials)));
  return words;
}

}  // namespace

Result<ClaimResult> ask_representation(ClaimStudy& study) {
  ClaimResult result;
  TRY_ASSIGN(std::vector<Curve> alone, study.run_all(paper_arm()));
  draw(study, alone, result);
  Carried all[2][3];
  for (bool same_kind : {true, false})
    for (size_t r = 0; r < 3; ++r) {
      auto [name, representation] = kRepresentations[r];
      TRY_ASSIGN(all[same_kind][r], carried(study, name, representation, same_kind));
      Carried const& one = all[same_kind][r];
      for (size_t i = 0; i < one.helped.size(); ++i)
        result.curves[one.tables[i]].push_back(one.helped[i]);
    }
  auto const& [far, near] = all;
  if (near[0].alone.empty() || far[0].alone.empty()) {
    result.sentence = "It takes tables of two kernels of one kind and of another kind beside them.";
    result.curves.clear();
    return result;
  }
  result.verdict = verdict_on(near, far, study.trials());
  result.sentence = fmt::format(
      "From kernels of the same kind, to the search without history: {}. From kernels of another "
      "kind: {}. (tau: how what was learned elsewhere orders a table's points, 1 is right.)",
      words_of_all(near, study.trials()), words_of_all(far, study.trials()));
  return result;
}

}  // namespace tw
