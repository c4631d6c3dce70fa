// Pairs the nodes of two graphs, and says what is different of each pair.
#include "engine/session/graph_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/session/model/loaded_model.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/graph_views.h"

namespace tw::session {
namespace {

/// A node with what tells it from others: of all graphs of a model, numbered as their views are.
struct Known {
  Node const* node = nullptr;
  Graph const* graph = nullptr;
  std::string name;          ///< with the nodes around
  std::vector<int> makers;   ///< of its operands; -1: an input of the graph or a constant
  std::vector<int> readers;  ///< of what it makes, in order
  std::string signature;     ///< what it computes, of which shapes, with which constants
};

std::string shapes_of(Known const& known) {
  std::string text;
  for (ValueId id : known.node->outputs)
    if (id.valid()) text += (text.empty() ? "" : " ") + to_text(known.graph->value(id).type);
  return text;
}

std::string constants_of(Known const& known) {
  std::string text;
  for (ValueId id : known.node->inputs)
    if (id.valid() && known.graph->value(id).is_constant())
      text += fmt::format(" {:x}", known.graph->value(id).constant.hash());
  return text;
}

std::vector<Known> known_nodes(Graph const& graph) {
  std::vector<Known> all;
  for (PlacedGraph const& placed : placed_graphs(graph)) {
    std::vector<NodeId> made_by = producers(*placed.graph);
    size_t first = all.size();
    for (Node const& node : placed.graph->nodes) {
      Known known{&node, placed.graph, placed.prefix + node.name, {}, {}, {}};
      for (ValueId id : node.inputs) {
        NodeId maker = id.valid() ? made_by[size_t(id.value)] : NodeId();
        known.makers.push_back(maker.valid() ? int(first) + maker.value : -1);
      }
      known.signature =
          node.type + "(" + to_text(node.attributes) + ")" + shapes_of(known) + constants_of(known);
      all.push_back(std::move(known));
    }
    for (size_t i = first; i < all.size(); ++i)
      for (int maker : all[i].makers)
        if (maker >= 0) all[size_t(maker)].readers.push_back(int(i));
  }
  return all;
}

/// What both sides have once, by a key of a node that has no pair yet.
class Pairs {
public:
  Pairs(std::vector<Known> const& before, std::vector<Known> const& after)
      : before_(before),
        after_(after),
        of_before_(before.size(), -1),
        of_after_(after.size(), -1) {}

  void run() {
    by([](Known const& one) { return one.name + "\n" + one.signature; });
    by([](Known const& one) { return one.signature; });
    along();
    by([](Known const& one) { return one.name + "\n" + one.node->type; });
    along();
    by([](Known const& one) { return one.name; });
    along();
  }
  int of_before(int node) const { return of_before_[size_t(node)]; }
  int of_after(int node) const { return of_after_[size_t(node)]; }

private:
  template <typename Key>
  void by(Key key) {
    std::unordered_map<std::string, std::pair<int, int>> once;  // -1: none, -2: several
    auto note = [](int& place, int node) { place = place == -1 ? node : -2; };
    for (size_t i = 0; i < before_.size(); ++i)
      if (of_before_[i] < 0)
        note(once.try_emplace(key(before_[i]), -1, -1).first->second.first, int(i));
    for (size_t i = 0; i < after_.size(); ++i)
      if (of_after_[i] < 0)
        note(once.try_emplace(key(after_[i]), -1, -1).first->second.second, int(i));
    for (auto const& [words, both] : once)
      if (both.first >= 0 && both.second >= 0) pair(both.first, both.second);
  }

  void pair(int before, int after) {
    of_before_[size_t(before)] = after;
    of_after_[size_t(after)] = before;
  }

  /// From pairs on to what reads them in the same place, and back to what they read.
  void along() {
    bool found = true;
    while (found) {
      found = false;
      for (size_t i = 0; i < before_.size(); ++i)
        if (of_before_[i] < 0) found = beside(int(i)) || found;
    }
  }

  bool fits(int before, int after) const {
    return after >= 0 && of_after_[size_t(after)] < 0 &&
           before_[size_t(before)].node->type == after_[size_t(after)].node->type;
  }

  bool beside(int before) {
    Known const& one = before_[size_t(before)];
    for (size_t place = 0; place < one.makers.size(); ++place) {
      int maker = one.makers[place] < 0 ? -1 : of_before(one.makers[place]);
      if (maker < 0) continue;
      for (int reader : after_[size_t(maker)].readers) {
        auto const& makers = after_[size_t(reader)].makers;
        if (fits(before, reader) && place < makers.size() && makers[place] == maker)
          return pair(before, reader), true;
      }
    }
    for (int reader : one.readers) {
      int other = of_before(reader);
      if (other < 0) continue;
      auto const& places = before_[size_t(reader)].makers;
      auto const& makers = after_[size_t(other)].makers;
      for (size_t place = 0; place < std::min(places.size(), makers.size()); ++place)
        if (places[place] == before && fits(before, makers[place]))
          return pair(before, makers[place]), true;
    }
    return false;
  }

  std::vector<Known> const &before_, &after_;
  std::vector<int> of_before_, of_after_;
};

std::string operation_of(Known const& known) {
  return known.node->op ? title_of(*known.graph, *known.node) : known.node->type;
}

void add(std::string& words, std::string const& more) {
  words += (words.empty() ? "" : "; ") + more;
}

/// "strides=[1, 1] -> [2, 2]", each attribute that is not the same.
void compare_attributes(Attributes const& before, Attributes const& after, std::string& words) {
  auto value = [](Attributes const& all, std::string const& name) {
    auto found = all.find(name);
    if (found == all.end()) return std::string("none");
    return to_text(Attributes{*found}).substr(name.size() + 1);
  };
  std::map<std::string, bool> names;
  for (auto const& [name, what] : before) names[name];
  for (auto const& [name, what] : after) names[name];
  for (auto const& [name, unused] : names)
    if (std::string was = value(before, name), is = value(after, name); was != is)
      add(words, fmt::format("{}={} -> {}", name, was, is));
}

std::string changes_of(Known const& before, Known const& after) {
  std::string words;
  if (before.node->type == after.node->type)
    compare_attributes(before.node->attributes, after.node->attributes, words);
  if (std::string was = shapes_of(before), is = shapes_of(after); was != is)
    add(words, was + " -> " + is);
  if (constants_of(before) != constants_of(after)) add(words, "constants differ");
  if (before.node->algorithm != after.node->algorithm)
    add(words, fmt::format("algorithm {} -> {}",
                           before.node->algorithm.empty() ? "first" : before.node->algorithm,
                           after.node->algorithm.empty() ? "first" : after.node->algorithm));
  return words;
}

/// A node that reads what a new or a removed one makes has not moved: that one says it.
std::string moved_words(std::vector<Known> const& before, std::vector<Known> const& after,
                        Pairs const& pairs, int was, int is) {
  auto const& old_makers = before[size_t(was)].makers;
  auto const& makers = after[size_t(is)].makers;
  std::string words;
  for (size_t place = 0; place < std::min(old_makers.size(), makers.size()); ++place) {
    int from = old_makers[place], to = makers[place];
    if (from < 0 || to < 0 || pairs.of_before(from) < 0 || pairs.of_after(to) < 0) continue;
    if (pairs.of_before(from) != to)
      add(words,
          fmt::format("reads {} instead of {}", after[size_t(to)].name, before[size_t(from)].name));
  }
  return words;
}

NodeDifference difference_of_pair(std::vector<Known> const& before, std::vector<Known> const& after,
                                  Pairs const& pairs, int was, int is) {
  Known const &old = before[size_t(was)], &now = after[size_t(is)];
  NodeDifference one{NodeChange::kSame, was, is, now.name, operation_of(now), changes_of(old, now)};
  std::string moved = moved_words(before, after, pairs, was, is);
  if (old.node->type != now.node->type) {
    one.change = NodeChange::kChanged;
    one.operation = operation_of(old) + " -> " + operation_of(now);
  } else if (!one.what.empty()) {
    one.change = NodeChange::kChanged;
  } else if (!moved.empty()) {
    one.change = NodeChange::kMoved;
  }
  if (!moved.empty()) add(one.what, moved);
  return one;
}

std::string summary_of(GraphDifference const& view) {
  std::string words;
  for (NodeChange change :
       {NodeChange::kAdded, NodeChange::kRemoved, NodeChange::kChanged, NodeChange::kMoved})
    if (int many = view.count(change); many > 0)
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", many, name_of(change));
  if (words.empty()) return fmt::format("nothing differs: {} nodes", view.nodes.size());
  int same = view.count(NodeChange::kSame);
  return same > 0 ? fmt::format("{}, {} the same", words, same) : words;
}

GraphDifference compared(Graph const& first, Graph const& second) {
  std::vector<Known> before = known_nodes(first), after = known_nodes(second);
  Pairs pairs(before, after);
  pairs.run();
  GraphDifference view;
  size_t next = 0;  // of those before: removed ones stand where they stood
  auto add_removed = [&](size_t end) {
    for (; next < end; ++next)
      if (pairs.of_before(int(next)) < 0)
        view.nodes.push_back({NodeChange::kRemoved, int(next), -1, before[next].name,
                              operation_of(before[next]), shapes_of(before[next])});
  };
  for (size_t i = 0; i < after.size(); ++i) {
    int was = pairs.of_after(int(i));
    if (was >= 0) add_removed(size_t(was));
    if (was < 0)
      view.nodes.push_back({NodeChange::kAdded, -1, int(i), after[i].name, operation_of(after[i]),
                            shapes_of(after[i])});
    else
      view.nodes.push_back(difference_of_pair(before, after, pairs, was, int(i)));
  }
  add_removed(before.size());
  view.summary = summary_of(view);
  return view;
}

}  // namespace

std::string_view name_of(NodeChange change) {
  constexpr std::string_view kNames[] = {"same", "added", "removed", "changed", "moved"};
  return kNames[size_t(change)];
}

int GraphDifference::count(NodeChange change) const {
  return int(std::ranges::count(nodes, change, &NodeDifference::change));
}

GraphDifference difference_of(LoadedModel const& before, LoadedModel const& after) {
  GraphDifference view = compared(before.before, after.before);
  view.before = before.name;
  view.after = after.name;
  view.other = std::make_shared<GraphView const>(graph_view(after));
  return view;
}

GraphDifference difference_by_passes(LoadedModel const& model) {
  GraphDifference view = compared(model.before, model.after);
  view.before = "before passes";
  view.after = "after passes";
  return view;
}

}  // namespace tw::session
