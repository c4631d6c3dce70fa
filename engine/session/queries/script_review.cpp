// What is wrong with a script that is being written.
#include "engine/session/script.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/script_views.h"

namespace tw::session {
namespace query_script_review {

struct Review {
  using Asked = std::string;  ///< its text
  using View = ScriptReview;
  struct Key {
    BranchKey branch;
    std::string text;
    bool operator==(Key const&) const = default;
  };
  static std::optional<Key> key(Seen const& seen, Asked const& text) {
    auto branch = current_branch(seen);
    return branch ? std::optional(Key{*std::move(branch), text}) : std::nullopt;
  }
  static View make(Key const& key, StopToken stop) {
    return script_review(*key.branch.history, key.text, key.branch.macros.get(), stop);
  }
};

QueryRow const& row() {
  static QueryRow const row = query_row<Review>(
      {.name = "script", .title = "checking a script", .lane = QueryLane::kPointed});
  return row;
}

}  // namespace query_script_review

std::shared_ptr<ScriptReview const> review_script(Session& session, std::string const& text) {
  return answer_of<query_script_review::Review>(session, query_script_review::row(), text);
}

}  // namespace tw::session
