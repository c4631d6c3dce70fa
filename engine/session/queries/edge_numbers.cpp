// An edge of the graph by what choices call it.
#include "engine/session/fusion.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/graph_views.h"

namespace tw::session {
namespace query_edge_numbers {

struct Numbers : OfModel<std::string, std::pair<int, int>> {
  static View make(Key const& key, StopToken) {
    return numbers_of_edge(key.model->after, key.asked);
  }
};

QueryRow const& row() {
  static QueryRow const row = query_row<Numbers>(
      {.name = "edge", .title = "looking for an edge", .lane = QueryLane::kCaller, .kept = 1});
  return row;
}

}  // namespace query_edge_numbers

std::pair<int, int> find_fusion_edge(Session& session, FusionEdge const& edge) {
  using namespace query_edge_numbers;
  auto known = answer_of<Numbers>(session, row(), edge.edge);
  return known ? *known : std::pair(-1, -1);
}

}  // namespace tw::session
