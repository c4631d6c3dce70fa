// What a simulated machine does with the states of a kernel.
#include "engine/session/timeline.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/timeline_views.h"

namespace tw::session::query_timeline {
namespace {

struct Timeline {
  using Asked = int;  ///< a node of the current kernel's history
  struct Key {
    ProgramKey of;
    std::string refusal;  ///< why the state has no timeline; empty: it has one
    bool operator==(Key const&) const = default;
  };
  using View = SimulatedState;
  static std::optional<Key> key(Seen const& seen, Asked const& node) {
    auto of = program_of(seen, node);
    if (!of || !seen.backend->has_timeline()) return std::nullopt;
    return Key{*std::move(of), current_history(seen)->node(node).refusal};
  }
  static QueryPart begin(Key const& key) {
    if (key.refusal.empty()) return {};
    return {std::make_shared<SimulatedState const>(SimulatedState{{}, {}, {}, key.refusal, {}}),
            true};
  }
  static View make(Key const& key, StopToken stop) {
    return simulated_state(key.of.program(), *key.of.backend, stop);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Timeline>({.name = "timeline",
                                                   .title = "simulating",
                                                   .lane = QueryLane::kSimulation,
                                                   .kept = 6,
                                                   .latest = false});
  return row;
}

}  // namespace tw::session::query_timeline

namespace tw::session {

std::shared_ptr<SimulatedState const> Session::timeline(int node) {
  using namespace query_timeline;
  return answer_of<Timeline>(*this, row(), node);
}

}  // namespace tw::session
