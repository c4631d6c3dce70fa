// What fusion said of an edge of the open model, and what the other way would cost.
#include "engine/session/fusion.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/state/query_keys.h"

namespace tw::session::query_fusion {
namespace {

constexpr char kNoCosts[] = "offloaded kernels have no modelled cost";

struct Edge {
  using Asked = std::pair<int, int>;  ///< from, to
  struct Key {
    Model model;
    int from = -1, to = -1;
    std::shared_ptr<Roofs const> rates;
    std::shared_ptr<Backend const> backend;
    bool beside = false;  ///< an accelerator takes a part of the model
    bool operator==(Key const&) const = default;
  };
  using View = FusionEdge;
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    if (!seen.state.model) return std::nullopt;
    return Key{seen.state.model,  asked.first,  asked.second,
               known_rates(seen), seen.backend, !seen.state.beside.device.empty()};
  }
  /// Null: fusion did not judge such an edge.
  static QueryPart begin(Key const& key) {
    std::shared_ptr<FusionEdge> edge = fusion_edge_of(*key.model, key.from, key.to);
    if (edge && !edge->fixed && key.beside)
      edge->costs = std::make_shared<FusionCosts const>(FusionCosts{{}, {}, kNoCosts});
    return {edge, !edge || edge->fixed || key.beside};
  }
  static View make(Key const& key, StopToken stop) {
    FusionEdge edge = *fusion_edge_of(*key.model, key.from, key.to);
    edge.costs = std::make_shared<FusionCosts const>(
        fusion_costs(*key.model, edge.other_way, *key.backend, key.rates.get(), stop));
    return edge;
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Edge>(
      {.name = "fusion", .title = "planning the alternative", .lane = QueryLane::kMemory});
  return row;
}

}  // namespace tw::session::query_fusion

namespace tw::session {

std::shared_ptr<FusionEdge const> fusion_edge(Session& session, int from, int to) {
  using namespace query_fusion;
  return answer_of<Edge>(session, row(), {from, to});
}

}  // namespace tw::session
