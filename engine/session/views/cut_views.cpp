#include "engine/session/views/cut_views.h"

#include <algorithm>

namespace tw::session {
namespace {

/// Of the model's own groups, by their numbers.
std::vector<int> places_of(Graph const& graph, Plan const& plan) {
  std::vector<int> places(graph.groups.size(), 0);
  for (PlanStep const& step : plan.steps)
    if (step.kind != StepKind::kCopy) places[size_t(step.group)] = step.place;
  return places;
}

}  // namespace

Result<CutView> cut_view(Graph const& graph, Plan const& plan, Cut const& cut,
                         std::vector<GraphGroupView> const& groups) {
  TRY_ASSIGN(Plan several, cut_plan(graph, plan, cut));
  TRY_ASSIGN(std::vector<int> firsts, first_groups(graph, plan, cut));
  std::vector<int> places = places_of(graph, several);
  CutView view;
  view.places = cut.places;
  for (GraphGroupView const& group : groups) {
    view.place_of.resize(std::max(view.place_of.size(), size_t(group.id) + 1));
    view.place_of[size_t(group.id)] = places[size_t(group.outer < 0 ? group.id : group.outer)];
  }
  for (size_t i = 0; i < cut.points.size(); ++i)
    view.points.push_back(
        {firsts[i], int(std::ranges::find(cut.places, cut.points[i].place) - cut.places.begin()),
         cut.points[i].node});
  for (PlanStep const& step : several.steps) {
    if (step.kind != StepKind::kCopy) continue;
    ++view.copies;
    view.copied_bytes += planned_bytes(graph.value(step.inputs.front())).value_or(0);
  }
  return view;
}

}  // namespace tw::session
