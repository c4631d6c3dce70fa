#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include "engine/compile/load_time.h"
#include "engine/learning/quality.h"
#include "engine/support/base/quantities.h"
#include "engine/tuner/features/program_tree.h"
#include "engine/tuner/study/arms.h"
#include "engine/tuner/study/asked.h"

namespace tw {
namespace {

constexpr size_t kLearned[] = {32, 128};  // points from which the others are ordered
constexpr size_t kTaught = 300;           // of each table that a network is taught on

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// The right points of a table, as all models see them, in an order by chance.
struct Seen {
  KnobFeatures features;
  std::vector<MeasuredPoint> points;
  double row_seconds = 0, tree_seconds = 0;  ///< of what one point's loops say
};

Result<Seen> seen_of(StudiedTable const& table) {
  Seen seen;
  for (Candidate const& row : table.space->rows()) seen.features.see(row.knobs);
  for (size_t row = 0; row < table.seconds.size(); ++row) {
    if (table.seconds[row] <= 0) continue;
    Candidate const& candidate = table.space->rows()[row];
    ir::Program program = split_load_time(candidate.schedule.program()).at_run;
    MeasuredPoint point{{seen.features.coordinates(candidate.knobs), std::nullopt},
                        table.seconds[row]};
    double start = processor_seconds();
    point.point.loops =
        std::make_shared<std::vector<float> const>(relation_features(loop_nest(program)));
    double between = processor_seconds();
    TRY_ASSIGN(FeatureTree tree, program_tree(program));
    point.point.program = std::make_shared<FeatureTree const>(std::move(tree));
    seen.row_seconds += between - start;
    seen.tree_seconds += processor_seconds() - between;
    seen.points.push_back(std::move(point));
  }
  seen.row_seconds /= double(seen.points.size());
  seen.tree_seconds /= double(seen.points.size());
  Rng rng(1);
  for (size_t i = seen.points.size(); i > 1; --i)
    std::swap(seen.points[i - 1], seen.points[size_t(rng.below(int64_t(i)))]);
  return seen;
}

struct Ordered {
  double tau = 0;  ///< of the points that were not learned from
  double learning_seconds = 0, predicting_seconds = 0;  ///< the latter of one point
};

Result<Ordered> ordered_by(PointModelOptions const& options, Seen const& seen, size_t learned) {
  learned = std::min(learned, seen.points.size() / 2);
  PointModel model(options);
  std::span<MeasuredPoint const> points = seen.points;
  double start = processor_seconds();
  TRY(model.learn(seen.features, points.first(learned), 1));
  double between = processor_seconds();
  std::vector<SeenPoint> rest;
  std::vector<float> truth;
  for (MeasuredPoint const& one : points.subspan(learned)) {
    rest.push_back(one.point);
    truth.push_back(float(one.seconds));
  }
  double before = processor_seconds();
  std::vector<float> predicted = model.predict(seen.features, rest);
  double predicting = (processor_seconds() - before) / double(rest.size());
  return Ordered{kendall_tau(predicted, truth), between - start, predicting};
}

struct Compared {
  char const* name;
  PointModelOptions options;
  double tau[std::size(kLearned)] = {};  ///< means over tables
  Ordered last{};                        ///< of the first table, from the most points
};

std::vector<Compared> models() {
  std::vector<Compared> models;
  PointModelOptions trees = paper_options().model, relations = trees, network = trees,
                    times = trees;
  relations.representation = Representation::kRelation;
  network.kind = times.kind = ModelKind::kTreeGru;
  times.objective = Objective::kRegression;
  return {{"trees over knobs", trees},
          {"trees over relations", relations},
          {"TreeGRU", network},
          {"TreeGRU for times", times}};
}

/// How well each model orders points that it has not seen.
Result<std::string> orders(ClaimStudy const& study, ClaimResult& result) {
  std::vector<Compared> all = models();
  for (size_t t = 0; t < study.tables().size(); ++t) {
    TRY_ASSIGN(Seen seen, seen_of(study.tables()[t]));
    for (Compared& one : all)
      for (size_t i = 0; i < std::size(kLearned); ++i) {
        TRY_ASSIGN(Ordered ordered, ordered_by(one.options, seen, kLearned[i]));
        one.tau[i] += ordered.tau / double(study.tables().size());
        if (t == 0) one.last = ordered;
      }
    if (t > 0) continue;
    result.times = {{"features of a row", seen.row_seconds}, {"a tree", seen.tree_seconds}};
  }
  std::string words;
  for (Compared const& one : all) {
    words += fmt::format("{}{} {:.2f} and {:.2f}", words.empty() ? "" : ", ", one.name, one.tau[0],
                         one.tau[1]);
    result.times.push_back({fmt::format("{}: learning", one.name), one.last.learning_seconds});
    result.times.push_back(
        {fmt::format("{}: a prediction", one.name), one.last.predicting_seconds});
  }
  return fmt::format("Of points not seen, from {} and {} (tau, the mean over tables): {}.",
                     kLearned[0], kLearned[1], words);
}

/// A network that goes on from other tables' weights, against one that begins with none.
Result<std::string> taught(ClaimStudy& study, bool same_kind) {
  std::vector<Curve> alone, helped;
  double tau = 0;
  for (size_t i = 0; i < study.tables().size(); ++i) {
    std::vector<StudiedTable const*> sources;
    for (size_t other = 0; other < study.tables().size(); ++other)
      if (other != i && (study.tables()[other].kind == study.tables()[i].kind) == same_kind)
        sources.push_back(&study.tables()[other]);
    if (sources.empty()) continue;
    TRY_ASSIGN(TreeGru network, network_of(sources, kTaught));
    tau += order_of(network, study.tables()[i]);
    LearnedOptions options = network_options();
    options.model.taught = std::make_shared<TreeGru const>(std::move(network));
    Arm arm = learned_arm(same_kind ? "TreeGRU, taught by its kind" : "TreeGRU, taught by others",
                          options);
    TRY_ASSIGN(Curve without, study.run(i, network_arm()));
    TRY_ASSIGN(Curve with, study.run(i, arm));
    alone.push_back(std::move(without)), helped.push_back(std::move(with));
  }
  if (alone.empty()) return std::string();
  return fmt::format(
      " Weights taught by kernels of {} order a table's points with tau {:.2f}, and "
      "going on from them is, to beginning with none, {}.",
      same_kind ? "its kind" : "other kinds", tau / double(alone.size()),
      words_of(versus(helped, alone, study.trials())));
}

double seconds_a_trial(std::vector<Curve> const& curves) {
  double seconds = 0, trials = 0;
  for (Curve const& curve : curves)
    for (Replayed const& run : curve.runs)
      seconds += run.seconds, trials += double(run.best.size());
  return seconds / std::max(trials, 1.0);
}

Verdict verdict_on(Versus const& to_trees, Versus const& to_chance) {
  if (!to_chance.is_ahead()) return Verdict::kFails;
  return to_trees.is_behind() ? Verdict::kPartly : Verdict::kHolds;
}

}  // namespace

Result<ClaimResult> ask_network(ClaimStudy& study) {
  LearnedOptions over_relations = paper_options();
  over_relations.model.representation = Representation::kRelation;
  TRY_ASSIGN(std::vector<Curve> trees, study.run_all(paper_arm()));
  TRY_ASSIGN(std::vector<Curve> relations,
             study.run_all(learned_arm("trees over relations", over_relations)));
  TRY_ASSIGN(std::vector<Curve> network, study.run_all(network_arm()));
  TRY_ASSIGN(std::vector<Curve> chance, study.run_all(chance_arm()));
  TRY_ASSIGN(std::vector<Curve> ours, study.run_all(our_arm()));
  TRY_ASSIGN(std::vector<Curve> ours_network, study.run_all(our_network_arm()));
  int trials = study.trials();
  Versus to_trees = versus(network, trees, trials), to_chance = versus(network, chance, trials);
  ClaimResult result{.verdict = verdict_on(to_trees, to_chance)};
  TRY_ASSIGN(std::string order, orders(study, result));
  TRY_ASSIGN(std::string near, taught(study, true));
  TRY_ASSIGN(std::string far, taught(study, false));
  result.sentence = fmt::format(
      "The search with TreeGRU is, to the one with trees, {} (over the same loops' relations: {}), "
      "to chance {}; it takes {} a trial against {}. `tw tune --model tree-gru` is, to `tw tune`, "
      "{}. {}{}{}",
      words_of(to_trees), words_of(versus(network, relations, trials)), words_of(to_chance),
      duration_text(seconds_a_trial(network)), duration_text(seconds_a_trial(trees)),
      words_of(versus(ours_network, ours, trials)), order, near, far);
  result.times.push_back({"the search with trees, a trial", seconds_a_trial(trees)});
  result.times.push_back({"the search with TreeGRU, a trial", seconds_a_trial(network)});
  for (auto const& curves : {trees, relations, network, ours, ours_network, chance})
    draw(study, curves, result);
  return result;
}

}  // namespace tw
