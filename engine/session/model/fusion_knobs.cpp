#include "engine/session/model/fusion_knobs.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::session {
namespace {

constexpr std::string_view kEnding = ".fusion";
constexpr char kFused[] = "fused", kSeparate[] = "separate";

std::string edge_of(std::string const& knob) {
  return knob.substr(0, knob.size() - kEnding.size());
}

Result<bool> is_fused(std::string const& knob, std::string const& value) {
  if (value == kFused || value == kSeparate) return value == kFused;
  return bad_input("unknown_arrangement", fmt::format("{} cannot be '{}': it is {} or {}", knob,
                                                      value, kFused, kSeparate));
}

}  // namespace

bool is_fusion_knob(std::string const& name) { return name.ends_with(kEnding); }
std::string fusion_knob(std::string const& edge) { return edge + std::string(kEnding); }
std::string fusion_value(bool fused) { return fused ? kFused : kSeparate; }

Result<FusionChoices> fusion_choices(Point const& arrangement) {
  FusionChoices choices;
  for (auto const& [knob, value] : arrangement) {
    if (!is_fusion_knob(knob)) continue;
    TRY_ASSIGN(choices[edge_of(knob)], is_fused(knob, value));
  }
  return choices;
}

EdgeDecision const* find_edge(Graph const& graph, std::string const& edge) {
  auto found = std::ranges::find(graph.decisions, edge, &EdgeDecision::edge);
  if (found != graph.decisions.end()) return &*found;
  for (Node const& node : graph.nodes)
    for (auto const& body : node.sub_graphs)
      if (EdgeDecision const* inside = find_edge(*body, edge)) return inside;
  return nullptr;
}

std::vector<Knob> fusion_knobs(Graph const& graph, FusionChoices const& choices) {
  std::vector<Knob> knobs;
  for (auto const& [edge, fused] : choices) {
    EdgeDecision const* decision = find_edge(graph, edge);
    if (!decision) continue;
    bool by_rule = decision->chosen ? !fused : fused;
    knobs.push_back({fusion_knob(edge), {kFused, kSeparate}, by_rule ? 0 : 1, fused ? 0 : 1});
  }
  return knobs;
}

Status check_fusion(Graph const& graph, std::string const& knob, std::string const& value) {
  TRY_ASSIGN(bool fused, is_fused(knob, value));
  EdgeDecision const* decision = find_edge(graph, edge_of(knob));
  if (!decision)
    return bad_input("unknown_arrangement",
                     fmt::format("no edge of the graph is called '{}': it is the names of two "
                                 "operators, the second reads what the first one makes",
                                 edge_of(knob)));
  if (fused && decision->fixed)
    return refused("cannot_fuse",
                   fmt::format("{} cannot become one kernel: {}", edge_of(knob), decision->reason));
  return {};
}

}  // namespace tw::session
