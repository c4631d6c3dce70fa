#include <fmt/format.h>

#include <algorithm>

#include "engine/tuner/study/arms.h"
#include "engine/tuner/study/asked.h"

namespace tw {
namespace {

/// As if each of its trials were half a one.
std::vector<Curve> twice(std::vector<Curve> curves, int trials) {
  for (Curve& curve : curves) {
    curve.arm += kTwice;
    for (Replayed& run : curve.runs) {
      std::vector<double> best;
      for (size_t trial = 1; trial <= size_t(trials) && !run.best.empty(); ++trial)
        best.push_back(run.best[std::min(2 * trial, run.best.size()) - 1]);
      run.best = std::move(best);
    }
  }
  return curves;
}

/// Not behind is enough; ahead somewhere is more.
Verdict no_worse(std::vector<Versus> const& all) {
  if (std::ranges::any_of(all, &Versus::is_behind)) return Verdict::kFails;
  bool wins =
      std::ranges::any_of(all, [](Versus const& one) { return one.is_ahead() || one.ahead; });
  bool loses = std::ranges::any_of(all, [](Versus const& one) { return one.behind > 0; });
  return wins && !loses ? Verdict::kHolds : Verdict::kPartly;
}

/// Mean over tables of the speed after the last trial.
double last_speed(std::vector<Curve> const& curves, int trials) {
  double sum = 0;
  for (Curve const& curve : curves) sum += band_of(curve, trials).mean.back();
  return sum / double(curves.size());
}

}  // namespace

void draw(ClaimStudy const& study, std::vector<Curve> const& curves, ClaimResult& result) {
  for (size_t table = 0; table < curves.size(); ++table)
    result.curves[study.tables()[table].name].push_back(curves[table]);
}

Result<ClaimResult> ask_learned(ClaimStudy& study) {
  int trials = study.trials();
  TRY_ASSIGN(std::vector<Curve> learned, study.run_all(paper_arm()));
  TRY_ASSIGN(std::vector<Curve> chance, study.run_all(chance_arm(), 2));
  TRY_ASSIGN(std::vector<Curve> genetic, study.run_all(genetic_arm(), 2));
  TRY_ASSIGN(std::vector<Curve> ours, study.run_all(our_arm()));
  Versus to_chance = versus(learned, chance, trials), to_genetic = versus(learned, genetic, trials);
  Versus to_chance2 = versus(learned, chance, trials, 2);
  Versus to_genetic2 = versus(learned, genetic, trials, 2);
  ClaimResult result;
  bool ahead = to_chance.is_ahead() && to_genetic.is_ahead();
  bool even_twice = !to_chance2.is_behind() && !to_genetic2.is_behind();
  bool never = to_chance.is_behind() || to_genetic.is_behind() ||
               (!to_chance.is_ahead() && !to_genetic.is_ahead());
  result.verdict = ahead && even_twice ? Verdict::kHolds
                   : never             ? Verdict::kFails
                                       : Verdict::kPartly;
  result.sentence = fmt::format(
      "To chance the learned search is {}, to the genetic one {}; with twice the trials for them, "
      "to chance {}, to the genetic one {}. `tw tune`, which knows the rule and the machine's "
      "model, is to the learned search {}.",
      words_of(to_chance), words_of(to_genetic), words_of(to_chance2), words_of(to_genetic2),
      words_of(versus(ours, learned, trials)));
  for (auto const& curves :
       {learned, genetic, chance, twice(genetic, trials), twice(chance, trials), ours})
    draw(study, curves, result);
  return result;
}

namespace {

/// Median over seeds of the first trial that takes no longer; nothing: half of them do not.
std::optional<int> passes(Curve const& curve, double seconds, int trials) {
  std::vector<int> first;
  for (Replayed const& run : curve.runs) {
    auto there =
        std::ranges::find_if(run.best, [&](double one) { return one > 0 && one <= seconds; });
    first.push_back(there == run.best.end() ? trials + 1 : int(there - run.best.begin()) + 1);
  }
  std::ranges::sort(first);
  int median = first[first.size() / 2];
  return median <= trials ? std::optional(median) : std::nullopt;
}

std::string trial_text(std::optional<int> trial) {
  return trial ? fmt::format("at trial {}", *trial) : "not";
}

}  // namespace

Result<ClaimResult> ask_reference(ClaimStudy& study) {
  int trials = study.trials(), passed = 0, sooner = 0, asked = 0;
  TRY_ASSIGN(std::vector<Curve> learned, study.run_all(paper_arm()));
  TRY_ASSIGN(std::vector<Curve> genetic, study.run_all(genetic_arm()));
  TRY_ASSIGN(std::vector<Curve> chance, study.run_all(chance_arm()));
  ClaimResult result{.level_name = "reference"};
  std::string each;
  for (size_t i = 0; i < learned.size(); ++i) {
    StudiedTable const& table = study.tables()[i];
    if (table.reference <= 0) continue;
    ++asked;
    auto ours = passes(learned[i], table.reference, trials);
    auto other = passes(genetic[i], table.reference, trials);
    auto blind = passes(chance[i], table.reference, trials);
    passed += bool(ours);
    int first = ours.value_or(trials + 1);
    sooner += ours && first <= other.value_or(trials + 1) && first <= blind.value_or(trials + 1);
    each += fmt::format("; {}: learned {}, genetic {}, chance {}", table.name, trial_text(ours),
                        trial_text(other), trial_text(blind));
    result.levels[table.name] = table.times.best() / table.reference;
    for (auto const& curves : {learned, genetic, chance})
      result.curves[table.name].push_back(curves[i]);
  }
  bool all_of_rule = std::ranges::all_of(study.tables(), &StudiedTable::reference_is_rule);
  if (asked == 0) {
    result.sentence = "No table has the time of the default schedule, and no reference was given.";
    return result;
  }
  result.verdict = passed == asked && sooner == asked ? Verdict::kHolds
                   : passed > 0                       ? Verdict::kPartly
                                                      : Verdict::kFails;
  result.sentence = fmt::format(
      "The {} is reached on {} of {} tables by the learned search within "
      "{} trials, on {} no later than by the others (medians{}).",
      all_of_rule ? "default schedule" : "reference", passed, asked, trials, sooner, each);
  return result;
}

Result<ClaimResult> ask_objective(ClaimStudy& study) {
  LearnedOptions times = paper_options();
  times.model.objective = Objective::kRegression;
  TRY_ASSIGN(std::vector<Curve> order, study.run_all(paper_arm()));
  TRY_ASSIGN(std::vector<Curve> regression, study.run_all(learned_arm("regression", times)));
  Versus both = versus(order, regression, study.trials());
  ClaimResult result{.verdict = both.is_behind()  ? Verdict::kFails
                                : both.is_ahead() ? Verdict::kHolds
                                                  : Verdict::kPartly};
  result.sentence = fmt::format("Learning the order is, to learning times, {}{}.", words_of(both),
                                both.is_behind() || both.is_ahead() ? "" : ": no difference shows");
  for (Curve& curve : order) curve.arm = "order (rank)";
  draw(study, order, result);
  draw(study, regression, result);
  return result;
}

Result<ClaimResult> ask_diversity(ClaimStudy& study) {
  std::vector<std::vector<Curve>> curves;
  for (size_t lambda : {1, 2, 4}) {
    LearnedOptions options = paper_options();
    options.choice = lambda;
    options.diversity = lambda == 1 ? 0 : 1;  // the authors' code weighs nothing but diversity
    TRY_ASSIGN(auto made, study.run_all(learned_arm(fmt::format("lambda {}", lambda), options)));
    curves.push_back(std::move(made));
  }
  Versus two = versus(curves[1], curves[0], study.trials());
  Versus four = versus(curves[2], curves[0], study.trials());
  ClaimResult result{.verdict = no_worse({two, four})};
  result.sentence = fmt::format(
      "Against the best of each batch alone (lambda 1), lambda 2 is {}, "
      "lambda 4 {}.",
      words_of(two), words_of(four));
  for (auto const& one : curves) draw(study, one, result);
  return result;
}

Result<ClaimResult> ask_uncertainty(ClaimStudy& study) {
  std::vector<std::vector<Curve>> curves;
  constexpr std::pair<char const*, Acquisition> kArms[] = {
      {"mean", Acquisition::kMean},
      {"expected improvement", Acquisition::kExpectedImprovement},
      {"upper confidence", Acquisition::kUpperConfidence}};
  for (auto [name, acquisition] : kArms) {
    LearnedOptions options = paper_options();
    options.model.objective = Objective::kRegression;  // as the paper: it needs times
    options.model.ensembles = 5;
    options.acquisition = acquisition;
    TRY_ASSIGN(auto made, study.run_all(learned_arm(name, options)));
    curves.push_back(std::move(made));
  }
  Versus improvement = versus(curves[1], curves[0], study.trials());
  Versus confidence = versus(curves[2], curves[0], study.trials());
  ClaimResult result;
  bool helps = improvement.is_ahead() || confidence.is_ahead();
  bool level = !helps && !improvement.is_behind() && !confidence.is_behind();
  result.verdict = helps ? Verdict::kFails : level ? Verdict::kHolds : Verdict::kPartly;
  result.sentence = fmt::format(
      "With five models from resamples, expected improvement is, to the "
      "mean alone, {}, the upper confidence bound {}.",
      words_of(improvement), words_of(confidence));
  for (auto const& one : curves) draw(study, one, result);
  return result;
}

Result<ClaimResult> ask_chance(ClaimStudy& study) {
  LearnedOptions none = paper_options();
  none.by_chance = 0;
  TRY_ASSIGN(std::vector<Curve> some, study.run_all(paper_arm()));
  TRY_ASSIGN(std::vector<Curve> without, study.run_all(learned_arm("none random", none)));
  Versus both = versus(some, without, study.trials());
  ClaimResult result{.verdict = both.is_behind() ? Verdict::kFails : Verdict::kHolds};
  result.sentence = fmt::format(
      "With a random 0.05 of each batch the search is, to none, {}; after {} trials it has {:.1f} "
      "against {:.1f} hundredths of the best's speed.",
      words_of(both), study.trials(), 100 * last_speed(some, study.trials()),
      100 * last_speed(without, study.trials()));
  for (Curve& curve : some) curve.arm = "0.05 random";
  draw(study, some, result);
  draw(study, without, result);
  return result;
}

}  // namespace tw
