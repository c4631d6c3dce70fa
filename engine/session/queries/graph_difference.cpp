// The open model against another one, which is read for that.
#include "engine/session/graph_difference.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/state/query_keys.h"

namespace tw::session::query_graph_difference {
namespace {

struct Difference {
  using Asked = std::string;  ///< another model; empty: the same before the passes
  struct Key {
    Model model;
    std::shared_ptr<Backend const> backend;
    std::string other;
    bool operator==(Key const&) const = default;
  };
  using View = GraphDifference;
  static std::optional<Key> key(Seen const& seen, Asked const& other) {
    if (!seen.state.model) return std::nullopt;
    return Key{seen.state.model, seen.backend, other};
  }
  static View make(Key const& key, StopToken stop) {
    if (key.other.empty()) return difference_by_passes(*key.model);
    auto read = load_model(key.other, {}, *key.backend, stop);
    if (!read) return GraphDifference{.failure = to_sentence(read.error())};
    return difference_of(*key.model, **read);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Difference>(
      {.name = "difference", .title = "comparing graphs", .lane = QueryLane::kThings});
  return row;
}

}  // namespace tw::session::query_graph_difference

namespace tw::session {

std::shared_ptr<GraphDifference const> graph_difference(Session& session,
                                                        std::string const& other) {
  using namespace query_graph_difference;
  return answer_of<Difference>(session, row(), other);
}

}  // namespace tw::session
