// What padding the rows of a shared tensor would come to.
#include "engine/session/launches.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/padding_views.h"

namespace tw::session {
namespace query_paddings {
namespace {

/// Asked: the tensor.
struct Paddings : OfProgram<std::string, PaddingsView> {
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    if (!seen.backend->has_launches()) return std::nullopt;
    return OfProgram::key(seen, asked);
  }
  static View make(Key const& key, StopToken stop) {
    return paddings_view(*key.schedule, *key.backend, key.asked, stop);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Paddings>(
      {.name = "paddings", .title = "trying layouts", .lane = QueryLane::kThings, .kept = 8});
  return row;
}

}  // namespace query_paddings

std::shared_ptr<PaddingsView const> paddings(Session& session, std::string const& tensor) {
  using namespace query_paddings;
  return answer_of<Paddings>(session, row(), tensor);
}

}  // namespace tw::session
