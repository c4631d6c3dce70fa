#include <algorithm>
#include <numeric>

#include "engine/learning/tree_gru/gru_network.h"

namespace tw::gru {
namespace {

/// A step before it has its place in the order of waves.
struct Step {
  bool join = false;
  int wave = 0;
  int input = 0;   ///< node, or a step
  int state = -1;  ///< a step
};

class Planner {
public:
  void add(FeatureTree const& tree) {
    int first = int(step_of_.size());
    std::vector<std::vector<int>> children(tree.nodes());
    for (size_t node = 0; node < tree.nodes(); ++node)
      if (tree.parent(node) != FeatureTree::kRoot)
        children[size_t(tree.parent(node))].push_back(int(node));
    step_of_.resize(step_of_.size() + tree.nodes());
    for (size_t node = tree.nodes(); node-- > 0;) {  // children stand behind their parents
      int state = -1;
      for (int child : children[node]) {
        int step = step_of_[size_t(first + child)];
        state = state < 0 ? step : added({.join = true, .wave = 0, .input = step, .state = state});
      }
      step_of_[size_t(first) + node] = added({.input = first + int(node), .state = state});
    }
    first_node_.push_back(int(step_of_.size()));
  }

  Plan plan() const {
    std::vector<int> order(steps_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int one) { return key(steps_[size_t(one)]); });
    std::vector<int> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[size_t(order[i])] = int(i);
    Plan plan{.steps = int(steps_.size()),
              .nodes = int(step_of_.size()),
              .trees = int(first_node_.size()) - 1,
              .first_node = first_node_};
    for (int number : order) {
      Step const& step = steps_[size_t(number)];
      int at = int(plan.input.size());
      if (at == 0 || key(step) != key(steps_[size_t(order[size_t(at) - 1])]))
        plan.waves.push_back({step.join, at, 0});
      ++plan.waves.back().count;
      plan.input.push_back(step.join ? place[size_t(step.input)] : step.input);
      plan.state.push_back(step.state < 0 ? -1 : place[size_t(step.state)]);
    }
    for (int step : step_of_) plan.step_of.push_back(place[size_t(step)]);
    return plan;
  }

private:
  static std::pair<int, bool> key(Step const& step) { return {step.wave, step.join}; }

  int added(Step step) {
    if (step.state >= 0) step.wave = steps_[size_t(step.state)].wave + 1;
    if (step.join) step.wave = std::max(step.wave, steps_[size_t(step.input)].wave + 1);
    steps_.push_back(step);
    return int(steps_.size()) - 1;
  }

  std::vector<Step> steps_;
  std::vector<int> step_of_, first_node_ = {0};
};

}  // namespace

Plan plan_of(std::span<FeatureTree const* const> trees) {
  Planner planner;
  for (FeatureTree const* tree : trees) planner.add(*tree);
  return planner.plan();
}

}  // namespace tw::gru
