// What each access of the current kernel finds in the caches.
#include "engine/session/memory.h"
#include "engine/session/state/query.h"
#include "engine/session/views/film_views.h"

namespace tw::session::query_film {
namespace {

struct Film {
  using Asked = double;  ///< where it begins, a part of the kernel
  struct Key {
    ProgramKey of;
    double from = 0;
    bool operator==(Key const&) const = default;
  };
  using View = AccessFilm;
  static std::optional<Key> key(Seen const& seen, Asked const& from) {
    auto of = current_program(seen);
    return of ? std::optional(Key{*of, from}) : std::nullopt;
  }
  static View make(Key const& key, StopToken stop) {
    return access_film(key.of.program(), key.of.backend->target(), key.from, stop);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row =
      query_row<Film>({.name = "film", .title = "accesses", .lane = QueryLane::kMemory});
  return row;
}

}  // namespace tw::session::query_film

namespace tw::session {

std::shared_ptr<AccessFilm const> film(Session& session, double from) {
  using namespace query_film;
  return answer_of<Film>(session, row(), from);
}

}  // namespace tw::session
