// What the launches of a kernel's states ask of a GPU.
#include "engine/session/launches.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/launch_views.h"

namespace tw::session {
namespace query_launches {
namespace {

struct AskedOf {
  int node = -1;  ///< of the current kernel's history
  bool assembled = false;
};

struct Launches {
  using Asked = AskedOf;
  struct Key {
    ProgramKey of;
    bool assembled = false;
    std::string refusal;  ///< why the state cannot run; empty: it can
    bool operator==(Key const&) const = default;
  };
  using View = LaunchesView;
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    auto of = program_of(seen, asked.node);
    if (!of || !seen.backend->has_launches()) return std::nullopt;
    return Key{*std::move(of), asked.assembled, current_history(seen)->node(asked.node).refusal};
  }
  static QueryPart begin(Key const& key) {
    if (key.refusal.empty()) return {};
    return {std::make_shared<LaunchesView const>(LaunchesView{.failure = key.refusal}), true};
  }
  /// What needs no assembler does not wait for it.
  static QueryTurn turn(Key const& key) {
    return {key.assembled ? QueryLane::kReports : QueryLane::kMemory};
  }
  static View make(Key const& key, StopToken stop) {
    return launches_view(key.of.program(), *key.of.backend, key.assembled, stop);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Launches>(
      {.name = "launches", .title = "judging launches", .kept = 8, .latest = false});
  return row;
}

}  // namespace query_launches

std::shared_ptr<LaunchesView const> launches(Session& session, int node, bool assembled) {
  using namespace query_launches;
  return answer_of<Launches>(session, row(), AskedOf{node, assembled});
}

}  // namespace tw::session
