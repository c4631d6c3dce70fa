// What takes the time of the current state: modelled when the code is looked at.
#include "engine/session/time_shares.h"
#include "engine/session/state/query_keys.h"

namespace tw::session::query_time_shares {
namespace {

struct Shares {
  using Asked = AskedNothing;
  struct Key {
    ProgramKey of;
    std::shared_ptr<Roofs const> rates;
    bool operator==(Key const&) const = default;
  };
  using View = TimeShares;
  static std::optional<Key> key(Seen const& seen, Asked const&) {
    auto of = current_program(seen);
    auto rates = known_rates(seen);
    return of && rates ? std::optional(Key{*of, rates}) : std::nullopt;
  }
  static View make(Key const& key, StopToken) {
    return time_shares_of(key.of.program(), *key.of.backend, *key.rates);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Shares>({.name = "time shares",
                                                 .title = "attributing the modelled time",
                                                 .lane = QueryLane::kMemory,
                                                 .kept = 16});
  return row;
}

}  // namespace tw::session::query_time_shares

namespace tw::session {

std::shared_ptr<TimeShares const> time_shares(Session& session) {
  using namespace query_time_shares;
  return answer_of<Shares>(session, row(), {});
}

}  // namespace tw::session
