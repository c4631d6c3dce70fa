// What one line of a script does.
#include "engine/session/line_effects.h"
#include "engine/session/state/query.h"
#include "engine/session/views/line_effects.h"

namespace tw::session::query_line_effect {
namespace {

std::string first_lines(std::string const& text, int count) {
  size_t end = 0;
  for (int i = 0; i < count && end < text.size(); ++i) {
    size_t next = text.find('\n', end);
    end = next == text.npos ? text.size() : next + 1;
  }
  return text.substr(0, end);
}

struct AskedLine {
  std::string text;
  int line = 0;
};

struct Effect {
  using Asked = AskedLine;
  struct Key {
    ProgramKey now;
    std::string script;  ///< of the current branch
    std::string before;  ///< what stands behind the line changes nothing of it
    int line = 0;
    AskedLine asked;
    std::shared_ptr<History const> history;
    std::shared_ptr<MacroSet const> macros;
    bool operator==(Key const& other) const {
      return now == other.now && script == other.script && before == other.before &&
             line == other.line;
    }
  };
  using View = LineEffect;
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    auto now = current_program(seen);
    if (!now) return std::nullopt;
    auto history =
        std::make_shared<History const>(seen.state.kernels.at(seen.state.kernel).history);
    return Key{
        *now,    now->schedule->script(), first_lines(asked.text, asked.line), asked.line, asked,
        history, seen.options.macros};
  }
  static View make(Key const& key, StopToken stop) {
    return effect_of_line(*key.history, key.asked.text, key.line, key.macros.get(), stop);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Effect>({.name = "line of a script",
                                                 .title = "computing the effects of a script",
                                                 .lane = QueryLane::kPointed,
                                                 .kept = 64});
  return row;
}

}  // namespace tw::session::query_line_effect

namespace tw::session {

std::shared_ptr<LineEffect const> line_effect(Session& session, std::string const& text, int line) {
  using namespace query_line_effect;
  return answer_of<Effect>(session, row(), {text, line});
}

}  // namespace tw::session
