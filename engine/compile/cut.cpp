#include "engine/compile/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace tw {
namespace {

/// Groups by the names of their nodes, and by those of their kernels.
std::map<std::string, int> groups_by_name(Graph const& graph, Plan const& plan) {
  std::map<std::string, int> group_of;
  for (size_t g = 0; g < graph.groups.size(); ++g)
    for (NodeId id : graph.groups[g].nodes) {
      Node const& node = graph.node(id);
      group_of.emplace(fmt::format("#{}", id.value), int(g));
      group_of.emplace(node.name, int(g));
      for (std::string const& origin : node.origins) group_of.emplace(origin, int(g));
    }
  for (PlanStep const& step : plan.steps)
    if (step.kind == StepKind::kKernel)
      group_of.emplace(plan.kernels[size_t(step.kernel)].name, step.group);
  return group_of;
}

/// The names of the first few kernels, for somebody who named none.
std::string some_names(Plan const& plan) {
  constexpr size_t kMost = 8;
  std::string names;
  for (size_t k = 0; k < std::min(kMost, plan.kernels.size()); ++k)
    names += (k > 0 ? ", " : "") + plan.kernels[k].name;
  return names + (plan.kernels.size() > kMost ? ", ..." : "");
}

using PointOfGroup = std::map<int, CutPoint>;

/// Where a node's step stands in the plan: the number of its group.
class Steps {
public:
  Steps(Graph const& graph, Plan const& plan)
      : plan_(plan), group_of_(groups_by_name(graph, plan)) {}

  Result<int> group_of(std::string const& node) const {
    if (auto group = group_of_.find(node); group != group_of_.end()) return group->second;
    return bad_input("unknown_node",
                     fmt::format("the model has no node or kernel '{}'; kernels are {}", node,
                                 some_names(plan_)));
  }
  Result<PointOfGroup> points_of(Cut const& cut) const {
    PointOfGroup points;
    for (CutPoint const& point : cut.points) {
      TRY_ASSIGN(int group, group_of(point.node));
      points[group] = point;
    }
    return points;
  }

private:
  Plan const& plan_;
  std::map<std::string, int> group_of_;
};

/// In the order of the plan, without points where nothing changes.
Cut tidied(std::string const& first, PointOfGroup const& points) {
  Cut cut{{first}, {}};
  std::string const* now = &first;
  for (auto const& [group, point] : points) {
    if (point.place == *now) continue;
    cut.points.push_back(point);
    now = &point.place;
    if (std::ranges::find(cut.places, point.place) == cut.places.end())
      cut.places.push_back(point.place);
  }
  return cut;
}

/// The place of each group, from the points.
Result<std::vector<int>> places_of(Graph const& graph, Plan const& plan, Cut const& cut) {
  TRY_ASSIGN(PointOfGroup points, Steps(graph, plan).points_of(cut));
  std::vector<int> places(graph.groups.size(), 0);
  int now = 0;
  for (size_t g = 0; g < places.size(); ++g) {
    if (auto point = points.find(int(g)); point != points.end()) {
      auto place = std::ranges::find(cut.places, point->second.place);
      if (place == cut.places.end())
        return bad_input("unknown_place",
                         fmt::format("there is no place '{}'", point->second.place));
      now = int(place - cut.places.begin());
    }
    places[g] = now;
  }
  return places;
}

/// Kernels of the cut plan: those of the plan before keep their numbers, by which scripts are
/// given, at the first place that runs them; for other places there are more behind them.
class Kernels {
public:
  explicit Kernels(Plan const& before) : list(before.kernels) {
    for (KernelTask& task : list) task.count = 0;
  }

  int at(int kernel, int place) {
    bool first = list[size_t(kernel)].count == 0;
    auto [known, is_new] = numbers_.try_emplace({kernel, place}, first ? kernel : int(list.size()));
    if (is_new && !first) list.push_back(copy_for(list[size_t(kernel)], place));
    KernelTask& task = list[size_t(known->second)];
    task.place = place;
    ++task.count;
    return known->second;
  }

  std::vector<KernelTask> list;

private:
  /// A device's name may have letters that a kernel's may not.
  static KernelTask copy_for(KernelTask task, int place) {
    task.name = task.kernel.name = fmt::format("{}_at_{}", task.name, place);
    task.count = 0;
    return task;
  }

  std::map<std::pair<int, int>, int> numbers_;
};

class Cutting {
public:
  Cutting(Graph const& graph, Plan const& plan, Cut const& cut, std::vector<int> const& places)
      : graph_(graph), plan_(plan), cut_(cut), places_(places), kernels_(plan) {
    for (ValueId id : graph.inputs) made_at_[id] = 0;
  }

  Result<Plan> run() {
    for (PlanStep const& step : plan_.steps) TRY(add(step));
    for (ValueId id : graph_.outputs)
      if (!graph_.value(id).is_constant()) TRY(bring(id, 0));
    Plan result;
    result.steps = std::move(steps_);
    result.kernels = std::move(kernels_.list);
    result.memory = memory_of(result.steps, 0);
    for (size_t place = 1; place < cut_.places.size(); ++place)
      result.elsewhere.push_back({cut_.places[place], memory_of(result.steps, int(place))});
    return result;
  }

private:
  Status add(PlanStep step) {
    step.place = step.kind == StepKind::kKernel ? places_[size_t(step.group)] : 0;
    if (step.kind == StepKind::kControl && runs_kernels_only(step))
      step.place = places_[size_t(step.group)];
    for (ValueId id : step.inputs)
      if (id.valid() && !graph_.value(id).is_constant()) TRY(bring(id, step.place));
    renumber(step);
    for (ValueId id : step.outputs)
      if (id.valid()) made_at_[id] = step.place;
    steps_.push_back(std::move(step));
    return {};
  }

  static bool runs_kernels_only(PlanStep const& step) {
    return std::ranges::all_of(step.bodies, [](BodyPlan const& body) {
      return std::ranges::all_of(body.steps, [](PlanStep const& one) {
        return one.kind == StepKind::kKernel ||
               (one.kind == StepKind::kControl && runs_kernels_only(one));
      });
    });
  }

  /// What a step owns runs where it runs.
  void renumber(PlanStep& step) {
    if (step.kind == StepKind::kKernel) step.kernel = kernels_.at(step.kernel, step.place);
    for (BodyPlan& body : step.bodies)
      for (PlanStep& inner : body.steps) {
        inner.place = step.place;
        renumber(inner);
      }
  }

  Status bring(ValueId id, int place) {
    auto made = made_at_.find(id);
    if (made == made_at_.end() || made->second == place || !copied_.insert({place, id}).second)
      return {};
    Value const& value = graph_.value(id);
    if (!planned_bytes(value))
      return bad_input(
          "unknown_shape",
          fmt::format("'{}' is computed on {} and needed on {}, but its shape is unknown, so it "
                      "cannot be copied",
                      value.name, cut_.places[size_t(made->second)], cut_.places[size_t(place)]),
          Place{{}, 0, 0, value.name});
    PlanStep copy;
    copy.kind = StepKind::kCopy;
    copy.inputs = copy.outputs = {id};
    copy.node = fmt::format("{} (copy)", value.name);
    copy.place = place;
    copy.from = made->second;
    steps_.push_back(std::move(copy));
    return {};
  }

  /// Tensors that lie in the place's arena, and while which steps.
  MemoryPlan memory_of(std::vector<PlanStep> const& steps, int place) const {
    std::set<ValueId> results(graph_.outputs.begin(), graph_.outputs.end());
    std::map<ValueId, Allocation> alive;
    for (int s = 0; s < int(steps.size()); ++s) {
      PlanStep const& step = steps[size_t(s)];
      int reads_at = step.kind == StepKind::kCopy ? step.from : step.place;
      for (ValueId id : step.inputs)
        if (auto found = alive.find(id); reads_at == place && found != alive.end())
          found->second.last = s;
      for (ValueId id : step.outputs) {
        if (!id.valid() || step.place != place) continue;
        if (place == 0 && results.contains(id)) continue;  // the caller's
        if (auto bytes = planned_bytes(graph_.value(id))) alive[id] = {id, 0, *bytes, s, s};
      }
    }
    std::vector<Allocation> open;
    for (auto const& [id, allocation] : alive) open.push_back(allocation);
    return arrange(std::move(open), int(steps.size()));
  }

  Graph const& graph_;
  Plan const& plan_;
  Cut const& cut_;
  std::vector<int> const& places_;
  Kernels kernels_;
  std::vector<PlanStep> steps_;
  std::map<ValueId, int> made_at_;
  std::set<std::pair<int, ValueId>> copied_;
};

}  // namespace

Result<Cut> parse_cut(std::vector<std::string> const& points, std::string const& first) {
  Cut cut{{first}, {}};
  for (std::string const& text : points) {
    size_t at = text.rfind('@');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
      return bad_input("bad_cut", fmt::format("'{}' must have the form NODE@DEVICE", text));
    cut.points.push_back({text.substr(0, at), text.substr(at + 1)});
    if (std::ranges::find(cut.places, cut.points.back().place) == cut.places.end())
      cut.places.push_back(cut.points.back().place);
  }
  return cut;
}

Result<Cut> with_point(Graph const& graph, Plan const& plan, Cut const& cut,
                       CutPoint const& point) {
  Steps steps(graph, plan);
  TRY_ASSIGN(PointOfGroup points, steps.points_of(cut));
  TRY_ASSIGN(int group, steps.group_of(point.node));
  points[group] = point;
  return tidied(cut.places.front(), points);
}

Result<std::vector<int>> first_groups(Graph const& graph, Plan const& plan, Cut const& cut) {
  Steps steps(graph, plan);
  std::vector<int> groups;
  for (CutPoint const& point : cut.points) {
    TRY_ASSIGN(int group, steps.group_of(point.node));
    groups.push_back(group);
  }
  return groups;
}

Result<Cut> with_point_moved(Graph const& graph, Plan const& plan, Cut const& cut,
                             std::string const& from, std::string const& to) {
  Steps steps(graph, plan);
  TRY_ASSIGN(PointOfGroup points, steps.points_of(cut));
  TRY_ASSIGN(int before, steps.group_of(from));
  TRY_ASSIGN(int after, steps.group_of(to));
  auto point = points.extract(before);
  if (!point) return bad_input("no_cut_there", fmt::format("no cut begins at '{}'", from));
  points[after] = {to, point.mapped().place};
  return tidied(cut.places.front(), points);
}

Result<Plan> cut_plan(Graph const& graph, Plan const& plan, Cut const& cut) {
  TRY_ASSIGN(std::vector<int> places, places_of(graph, plan, cut));
  return Cutting(graph, plan, cut, places).run();
}

}  // namespace tw
