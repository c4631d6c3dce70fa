// The tensors of the model, each at a node of its graphs: a graph of ten thousand nodes takes a few
// milliseconds, once.
#include "engine/session/model/named_tensors.h"
#include "engine/session/graph_tensors.h"
#include "engine/session/state/query_keys.h"

namespace tw::session::query_named_tensors {
namespace {

struct Tensors {
  using Asked = AskedNothing;
  struct Key {
    Model model;
    std::shared_ptr<GraphView const> graph;
    bool operator==(Key const& other) const { return model == other.model; }
  };
  using View = GraphTensors;
  static std::optional<Key> key(Seen const& seen, Asked const&) {
    if (!seen.state.model || !seen.state.graph) return std::nullopt;
    return Key{seen.state.model, seen.state.graph};
  }
  static View make(Key const& key, StopToken) { return named_tensors(*key.model, *key.graph); }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Tensors>(
      {.name = "tensors", .title = "naming tensors", .lane = QueryLane::kCaller, .kept = 1});
  return row;
}

}  // namespace tw::session::query_named_tensors

namespace tw::session {

std::shared_ptr<GraphTensors const> graph_tensors(Session& session) {
  using namespace query_named_tensors;
  return answer_of<Tensors>(session, row(), {});
}

}  // namespace tw::session
