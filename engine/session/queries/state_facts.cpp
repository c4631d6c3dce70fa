// What a state of the current kernel costs, for comparisons.
#include "engine/session/state/query_keys.h"
#include "engine/session/state/state_costs.h"
#include "engine/session/views/compare.h"

namespace tw::session {
namespace query_state_facts {

struct Facts {
  using Asked = int;  ///< a node of the current kernel's history
  using View = StateFacts;
  struct Key {
    ProgramKey of;
    std::shared_ptr<Roofs const> rates;
    std::vector<int64_t> cache_bytes;
    bool operator==(Key const&) const = default;
  };
  static std::optional<Key> key(Seen const& seen, Asked const& node) {
    auto of = program_of(seen, node);
    if (!of || !current_history(seen)->node(node).refusal.empty()) return std::nullopt;
    auto const& machine = seen.state.machine;
    return Key{*std::move(of), known_rates(seen),
               machine ? machine->cache_bytes : std::vector<int64_t>()};
  }
  static View make(Key const& key, StopToken) {
    return facts_of(key.of.program(), key.rates.get(), key.cache_bytes, *key.of.backend);
  }
};

/// Both sides of a comparison are wanted.
QueryRow const& row() {
  static QueryRow const row = query_row<Facts>({.name = "costs",
                                                .title = "counting",
                                                .lane = QueryLane::kCode,
                                                .kept = 100,
                                                .latest = false});
  return row;
}

}  // namespace query_state_facts

QueryRow const& state_facts_row() { return query_state_facts::row(); }

}  // namespace tw::session
