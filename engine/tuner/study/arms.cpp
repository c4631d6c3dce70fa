#include "engine/tuner/study/arms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/compile/load_time.h"
#include "engine/learning/quality.h"
#include "engine/tuner/features/program_tree.h"
#include "engine/tuner/search/genetic.h"

namespace tw {
namespace {

constexpr int kTaughtSteps = 800;  // of a network on other kernels' points: it stops by itself

LoopNest nest_of(Candidate const& candidate) {
  return loop_nest(split_load_time(candidate.schedule.program()).at_run);
}

/// Numbers of the rows that were right, in an order by chance.
std::vector<size_t> right_rows(StudiedTable const& table, uint64_t seed) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.seconds.size(); ++row)
    if (table.seconds[row] > 0) rows.push_back(row);
  Rng rng(seed);
  for (size_t i = rows.size(); i > 1; --i)
    std::swap(rows[i - 1], rows[size_t(rng.below(int64_t(i)))]);
  return rows;
}

}  // namespace

LearnedOptions paper_options() {
  LearnedOptions options;
  options.model.objective = Objective::kPairwiseRank;
  options.model.with_prior = false;
  options.rule_first = false;
  return options;
}

Arm learned_arm(std::string name, LearnedOptions const& options) {
  return {std::move(name), [options](Space const& space, uint64_t seed) {
            return make_learned_search(space, seed, options);
          }};
}

Arm paper_arm() { return learned_arm("learned", paper_options()); }
Arm our_arm() { return learned_arm("tw tune", {}); }

LearnedOptions network_options() {
  LearnedOptions options = paper_options();
  options.model.kind = ModelKind::kTreeGru;
  return options;
}

Arm network_arm() { return learned_arm("TreeGRU", network_options()); }
Arm our_network_arm() {
  return learned_arm("tw tune, TreeGRU", {.model = {.kind = ModelKind::kTreeGru}});
}

Arm chance_arm() {
  return {"chance",
          [](Space const& space, uint64_t seed) { return random_search().make(space, seed); }};
}

Arm genetic_arm() {
  return {"genetic", [](Space const& space, uint64_t seed) {
            return make_genetic_search(space, seed, false);
          }};
}

Result<std::shared_ptr<TransferHistory const>> experience_of(
    std::vector<StudiedTable const*> const& tables, TransferHistoryOptions const& options,
    size_t most, std::vector<Point> first) {
  std::vector<TransferredTrial> trials;
  for (StudiedTable const* table : tables) {
    std::vector<size_t> rows = right_rows(*table, 1);
    rows.resize(std::min(rows.size(), most));
    for (size_t row : rows) {
      Candidate const& candidate = table->space->rows()[row];
      trials.push_back({table->name, candidate.knobs, nest_of(candidate),
                        table->space->modelled(candidate), table->seconds[row]});
    }
  }
  return TransferHistory::learn(trials, options, std::move(first));
}

std::vector<Point> best_points(std::vector<StudiedTable const*> const& tables, size_t of_each) {
  std::vector<Point> points;
  for (StudiedTable const* table : tables) {
    std::vector<size_t> rows = right_rows(*table, 1);
    std::ranges::sort(rows, {}, [&](size_t row) { return table->seconds[row]; });
    rows.resize(std::min(rows.size(), of_each));
    for (size_t row : rows) points.push_back(table->space->rows()[row].point);
  }
  return points;
}

namespace {

Result<FeatureTree> tree_of(Candidate const& candidate) {
  return program_tree(split_load_time(candidate.schedule.program()).at_run);
}

}  // namespace

Result<TreeGru> network_of(std::vector<StudiedTable const*> const& tables, size_t most) {
  std::vector<FeatureTree> trees;
  TreeRows rows;
  for (size_t table = 0; table < tables.size(); ++table) {
    std::vector<size_t> numbers = right_rows(*tables[table], 1);
    numbers.resize(std::min(numbers.size(), most));
    for (size_t row : numbers) {
      TRY_ASSIGN(FeatureTree tree, tree_of(tables[table]->space->rows()[row]));
      trees.push_back(std::move(tree));
      rows.targets.push_back(float(-std::log(tables[table]->seconds[row])));
      rows.groups.push_back(int32_t(table));
    }
  }
  for (FeatureTree const& tree : trees) rows.trees.push_back(&tree);
  TRY_ASSIGN(TrainedTreeGru trained, train_tree_gru(rows, {.steps = kTaughtSteps, .seed = 1}));
  return std::move(trained.model);
}

double order_of(TreeGru const& network, StudiedTable const& table) {
  std::vector<float> predicted, truth;
  for (size_t row = 0; row < table.seconds.size(); ++row) {
    if (table.seconds[row] <= 0) continue;
    auto tree = tree_of(table.space->rows()[row]);
    if (!tree) continue;
    FeatureTree const* one = &*tree;
    predicted.push_back(-network.predict({&one, 1})[0]);
    truth.push_back(float(table.seconds[row]));
  }
  return kendall_tau(predicted, truth);
}

double order_of(TransferHistory const& experience, StudiedTable const& table) {
  std::vector<float> predicted, truth;
  for (size_t row = 0; row < table.seconds.size(); ++row) {
    if (table.seconds[row] <= 0) continue;
    Candidate const& candidate = table.space->rows()[row];
    predicted.push_back(float(
        experience.predict(candidate.knobs, nest_of(candidate), table.space->modelled(candidate))));
    truth.push_back(float(table.seconds[row]));
  }
  return kendall_tau(predicted, truth);
}

}  // namespace tw
