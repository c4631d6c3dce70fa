// What a search from a state of the current kernel may choose.
#include "engine/session/state/opened_script.h"
#include "engine/session/state/query_keys.h"
#include "engine/tuner/knobs_by_rule.h"

namespace tw::session {
namespace query_tuning_space {

struct Space {
  using Asked = int;  ///< the state; 0: the target's template
  using View = TuningSpace;
  struct Key {
    int from = 0;
    std::optional<ProgramKey> plain;  ///< empty: no kernel is selected
    std::string script;               ///< that leads to the state
    std::string label, refusal;       ///< of it
    bool exists = false;
    int threads = 1;
    std::shared_ptr<History const> history;
    bool operator==(Key const& other) const {
      return from == other.from && plain == other.plain && script == other.script &&
             label == other.label && refusal == other.refusal && exists == other.exists &&
             threads == other.threads;
    }
  };
  static std::optional<Key> key(Seen const& seen, Asked const& from);
  static View make(Key const& key, StopToken);
};

std::optional<Space::Key> Space::key(Seen const& seen, Asked const& from) {
  Key key{.from = from, .plain = program_of(seen, 0), .script = {}, .label = {}, .refusal = {}};
  key.threads = seen.options.threads > 0 ? seen.options.threads
                                         : seen.backend->target().hardware.unit().count;
  History const* history = current_history(seen);
  if (!history) return key;
  key.history = std::make_shared<History const>(*history);
  key.exists = history->has(from);
  if (!key.exists) return key;
  key.script = history->script(from);
  key.label = history->node(from).label;
  key.refusal = history->node(from).refusal;
  return key;
}

TuningSpace Space::make(Key const& key, StopToken) {
  TuningSpace space{.from = key.from, .of = {}, .knobs = {}, .error = {}};
  auto script = opened_script(key.history.get(), key.from);
  if (!script) {
    space.error = to_sentence(script.error());
    return space;
  }
  if (key.from > 0) space.of = key.label;
  auto knobs = knobs_by_rule(key.plain->program(), *key.plain->backend, script->get(), key.threads);
  if (!knobs) {
    space.error = to_sentence(knobs.error());
    return space;
  }
  for (Knob const& knob : *knobs)
    if (knob.values.size() > 1)
      space.knobs.push_back({knob.name, int(knob.values.size()), knob.value()});
  return space;
}

/// Views ask in turns, each for its own states: there is room for those of many runs.
QueryRow const& row() {
  static QueryRow const row = query_row<Space>({.name = "space",
                                                .title = "loading knobs",
                                                .lane = QueryLane::kCode,
                                                .kept = 400,
                                                .latest = false});
  return row;
}

}  // namespace query_tuning_space

std::shared_ptr<TuningSpace const> Session::tuning_space(int from) {
  return answer_of<query_tuning_space::Space>(*this, query_tuning_space::row(), from);
}

}  // namespace tw::session
