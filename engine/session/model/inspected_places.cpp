#include "engine/session/model/inspected_places.h"

#include <algorithm>
#include <charconv>

namespace tw::session {
namespace {

/// "#12"; -1: it is none.
int number_in(std::string const& reference) {
  int number = -1;
  if (reference.size() < 2 || reference[0] != '#') return -1;
  auto [end, code] =
      std::from_chars(reference.data() + 1, reference.data() + reference.size(), number);
  return code == std::errc() && end == reference.data() + reference.size() ? number : -1;
}

/// Some node makes it or reads it, or the graph is given it.
bool is_used(GraphPlaces::ValuePlace const& place) {
  Graph const& graph = place.graph();
  auto has = [&](std::vector<ValueId> const& list) {
    return std::ranges::find(list, place.id) != list.end();
  };
  return has(graph.inputs) || has(graph.outputs) ||
         std::ranges::any_of(
             graph.nodes, [&](Node const& node) { return has(node.inputs) || has(node.outputs); });
}

}  // namespace

std::optional<GraphPlaces::NodePlace> GraphPlaces::node(int number) const {
  for (PlacedGraph const& in : all_)
    if (int id = number - in.first_node; id >= 0 && id < int(in.graph->nodes.size()))
      return NodePlace{&in, {int32_t(id)}};
  return std::nullopt;
}

std::optional<GraphPlaces::NodePlace> GraphPlaces::node(std::string const& reference) const {
  if (int number = number_in(reference); number >= 0) return node(number);
  if (reference.empty()) return std::nullopt;
  for (NodePlace const& place : nodes())
    if (name_of(place) == reference) return place;
  return std::nullopt;
}

std::optional<GraphPlaces::ValuePlace> GraphPlaces::tensor(std::string const& name) const {
  if (name.empty()) return std::nullopt;
  for (PlacedGraph const& in : all_) {
    if (!name.starts_with(in.prefix)) continue;
    std::string_view wanted = std::string_view(name).substr(in.prefix.size());
    for (size_t i = 0; i < in.graph->values.size(); ++i)
      if (in.graph->values[i].name == wanted) return ValuePlace{&in, {int32_t(i)}};
  }
  return std::nullopt;
}

std::vector<GraphPlaces::NodePlace> GraphPlaces::nodes() const {
  std::vector<NodePlace> places;
  for (PlacedGraph const& in : all_)
    for (size_t i = 0; i < in.graph->nodes.size(); ++i) places.push_back({&in, {int32_t(i)}});
  return places;
}

std::string GraphPlaces::reference_of(NodePlace const& place) const {
  if (counts_.empty())
    for (NodePlace const& one : nodes()) ++counts_[name_of(one)];
  std::string name = name_of(place);
  bool clear = !name.empty() && name[0] != '#' && counts_[name] == 1;
  return clear ? name : "#" + std::to_string(place.number());
}

InspectedLink GraphPlaces::link_to(NodePlace const& place) const {
  Node const& node = place.node();
  std::string detail = node.op ? title_of(place.graph(), node) : node.type;
  if (std::string more = node.op ? detail_of(node) : ""; !more.empty()) detail += " " + more;
  return {{kind_, reference_of(place)}, detail, pattern_of(node)};
}

std::optional<ModelPlaces::Tensor> ModelPlaces::tensor(std::string const& name) const {
  auto later = after.tensor(name), earlier = before.tensor(name);
  // The passes leave values behind that nobody makes or reads any more, without their elements.
  bool gone = !later || (earlier && !later->value().is_constant() && !is_used(*later));
  if (!gone) return Tensor{&after, *later};
  if (earlier) return Tensor{&before, *earlier};
  return std::nullopt;
}

}  // namespace tw::session
