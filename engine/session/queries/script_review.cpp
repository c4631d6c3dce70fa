// What is wrong with a script that is being written.
#include "engine/session/script.h"
#include "engine/session/state/query.h"
#include "engine/session/views/script_views.h"

namespace tw::session::query_script_review {
namespace {

struct Review {
  using Asked = std::string;  ///< its text
  struct Key {
    ProgramKey now;
    std::string script;  ///< of the current branch
    std::string text;
    std::shared_ptr<History const> history;
    std::shared_ptr<MacroSet const> macros;
    bool operator==(Key const& other) const {
      return now == other.now && script == other.script && text == other.text;
    }
  };
  using View = ScriptReview;
  static std::optional<Key> key(Seen const& seen, Asked const& text) {
    auto now = current_program(seen);
    if (!now) return std::nullopt;
    auto history =
        std::make_shared<History const>(seen.state.kernels.at(seen.state.kernel).history);
    return Key{*now, now->schedule->script(), text, history, seen.options.macros};
  }
  static View make(Key const& key, StopToken stop) {
    return script_review(*key.history, key.text, key.macros.get(), stop);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Review>(
      {.name = "script", .title = "checking a script", .lane = QueryLane::kPointed});
  return row;
}

}  // namespace tw::session::query_script_review

namespace tw::session {

std::shared_ptr<ScriptReview const> review_script(Session& session, std::string const& text) {
  using namespace query_script_review;
  return answer_of<Review>(session, row(), text);
}

}  // namespace tw::session
