// What could be done next with the current kernel.
#include "engine/session/moves.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/move_views.h"

namespace tw::session::query_moves {
namespace {

struct Moves {
  using Asked = std::string;  ///< a loop, a block or a tensor; empty: all
  struct Key {
    ProgramKey now;
    std::string of;
    std::shared_ptr<Roofs const> rates;
    bool operator==(Key const&) const = default;
  };
  using View = MovesView;
  static std::optional<Key> key(Seen const& seen, Asked const& of) {
    auto now = current_program(seen);
    auto rates = known_rates(seen);
    return now && rates ? std::optional(Key{*now, of, rates}) : std::nullopt;
  }
  static View make(Key const& key, StopToken stop) {
    auto view = moves_view(*key.now.schedule, *key.now.backend, *key.rates,
                           {.of = key.of, .budget = ProofBudget::kInteractive, .stop = stop});
    if (view) return *std::move(view);
    return {.bound = {}, .sentence = view.error().message, .moves = {}, .refused = {}};
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Moves>(
      {.name = "moves", .title = "finding suggestions", .lane = QueryLane::kSimulation});
  return row;
}

}  // namespace tw::session::query_moves

namespace tw::session {

std::shared_ptr<MovesView const> Session::next_moves(std::string const& of) {
  using namespace query_moves;
  return answer_of<Moves>(*this, row(), of);
}

}  // namespace tw::session
