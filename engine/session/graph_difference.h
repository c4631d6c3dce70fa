/// What is different between two graphs: of two models, or of one before and after its passes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/session/model/model.h"
#include "engine/session/values.h"

namespace tw::session {

class Session;

enum class NodeChange : uint8_t {
  kSame,
  kAdded,
  kRemoved,
  kChanged,  ///< another operator, attribute, shape or constant
  kMoved,    ///< the same, but it reads what other nodes make
};
constexpr size_t kNodeChanges = 5;
std::string_view name_of(NodeChange change);  ///< "added"

struct NodeDifference {
  NodeChange change = NodeChange::kSame;
  int before = -1, after = -1;  ///< ids in the views of both graphs; -1: it is not there
  std::string name;             ///< after; of one that was removed, before
  std::string operation;        ///< "conv2d"; where it is another one "relu -> gelu"
  std::string what;             ///< "strides=[1, 1] -> [2, 2]; weights differ"; of the same: empty
};

struct GraphDifference {
  std::string before, after;          ///< what the graphs are of: "a.onnx", "after passes"
  std::vector<NodeDifference> nodes;  ///< those after in their order; removed ones where they were
  int count(NodeChange change) const;
  std::string summary;  ///< "3 added, 1 removed, 2 changed, 40 the same"; or that nothing differs
  /// Of another model; null: both graphs are those of the open one.
  std::shared_ptr<GraphView const> other;
  std::string failure;  ///< a sentence instead: the other one cannot be read
};

/// Graphs as the models have them. Nodes are paired by what they compute and what they read before
/// they are paired by their names, which exporters number anew.
GraphDifference difference_of(LoadedModel const& before, LoadedModel const& after);
/// The open model before and after simplification, folding and the choice of layouts.
GraphDifference difference_by_passes(LoadedModel const& model);

/// Of the open model, against another one, as `load_model` takes it; empty: by its own passes.
/// Null: not there yet, the session's listener is called when it is; or there is no model.
std::shared_ptr<GraphDifference const> graph_difference(Session& session, std::string const& other);

}  // namespace tw::session
