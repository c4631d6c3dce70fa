// Two texts with gaps, so that equal lines stand beside each other.
#include "engine/session/state/query_keys.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace query_code_pair {

struct Pair {
  using Asked = std::pair<std::shared_ptr<CodeText const>, std::shared_ptr<CodeText const>>;
  using Key = Asked;
  using View = CodePair;
  static std::optional<Key> key(Seen const&, Asked const& texts) { return texts; }
  static View make(Key const& texts, StopToken) {
    return side_by_side(*texts.first, *texts.second);
  }
};

QueryRow const& row() {
  static QueryRow const row = query_row<Pair>(
      {.name = "two texts", .title = "comparing texts", .lane = QueryLane::kCaller, .kept = 1});
  return row;
}

}  // namespace query_code_pair

std::shared_ptr<CodePair const> Session::code_pair(int before, int after,
                                                   std::string const& stage) {
  auto first = code_of(before, stage, -1), second = code_of(after, stage, -1);
  if (!first || !second) return nullptr;
  return answer_of<query_code_pair::Pair>(*this, query_code_pair::row(), {first, second});
}

}  // namespace tw::session
