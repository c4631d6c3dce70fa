// What each access of the current kernel finds in the caches.
#include "engine/session/memory.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/film_views.h"

namespace tw::session {
namespace query_film {

/// Asked: where it begins, a part of the kernel.
struct Film : OfProgram<double, AccessFilm> {
  static View make(Key const& key, StopToken stop) {
    return access_film(key.program(), key.target(), key.asked, stop);
  }
};

QueryRow const& row() {
  static QueryRow const row =
      query_row<Film>({.name = "film", .title = "accesses", .lane = QueryLane::kMemory});
  return row;
}

}  // namespace query_film

std::shared_ptr<AccessFilm const> film(Session& session, double from) {
  return answer_of<query_film::Film>(session, query_film::row(), from);
}

}  // namespace tw::session
