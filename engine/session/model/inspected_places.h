/// Where the operators and tensors of a model are, by the names that a person has for them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/inspector.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/views/graph_views.h"

namespace tw::session {

/// One of the model's graphs with all graphs inside it.
class GraphPlaces {
public:
  GraphPlaces(Graph const& graph, InspectedKind kind) : all_(placed_graphs(graph)), kind_(kind) {}

  struct NodePlace {
    PlacedGraph const* in = nullptr;
    NodeId id;
    Graph const& graph() const { return *in->graph; }
    Node const& node() const { return in->graph->node(id); }
    int number() const { return in->first_node + id.value; }
  };
  struct ValuePlace {
    PlacedGraph const* in = nullptr;
    ValueId id;
    Graph const& graph() const { return *in->graph; }
    Value const& value() const { return in->graph->value(id); }
  };
  /// By its name, or "#12".
  std::optional<NodePlace> node(std::string const& reference) const;
  std::optional<NodePlace> node(int number) const;
  std::optional<ValuePlace> tensor(std::string const& name) const;
  /// All that satisfy it, with the graphs inside.
  std::vector<NodePlace> nodes() const;

  std::string name_of(NodePlace const& place) const { return place.in->prefix + place.node().name; }
  /// What `node` finds it by: its name where it is the only one that has it, else "#12".
  std::string reference_of(NodePlace const& place) const;
  InspectedLink link_to(NodePlace const& place) const;
  InspectedKind kind() const { return kind_; }

private:
  std::vector<PlacedGraph> all_;
  InspectedKind kind_;  ///< of its operators
  mutable std::map<std::string, int> counts_;
};

/// Both graphs of a model: what is known of a tensor is known of one of them.
class ModelPlaces {
public:
  explicit ModelPlaces(LoadedModel const& model)
      : after(model.after, InspectedKind::kOperator),
        before(model.before, InspectedKind::kImported) {}
  GraphPlaces const& of(InspectedKind kind) const {
    return kind == InspectedKind::kImported ? before : after;
  }
  struct Tensor {
    GraphPlaces const* places = nullptr;
    GraphPlaces::ValuePlace at;
  };
  /// After all passes, if it still is there, and if that is where its values are known.
  std::optional<Tensor> tensor(std::string const& name) const;

  GraphPlaces after, before;
};

}  // namespace tw::session
