// What one line of a script does.
#include "engine/session/line_effects.h"
#include "engine/session/state/query_keys.h"
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
  using View = LineEffect;
  struct Key {
    BranchKey branch;
    std::string lines;  ///< the last one is the one asked of: what stands behind it changes nothing
    int line = 0;
    bool operator==(Key const&) const = default;
  };
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    auto branch = current_branch(seen);
    if (!branch) return std::nullopt;
    return Key{*std::move(branch), first_lines(asked.text, asked.line), asked.line};
  }
  static View make(Key const& key, StopToken stop) {
    return effect_of_line(*key.branch.history, key.lines, key.line, key.branch.macros.get(), stop);
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
