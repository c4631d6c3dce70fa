// The text of a state at a stage, alone or with its changes against another state.
#include <fmt/format.h>

#include "engine/backend/code_reporter.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/state/state_costs.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace query_code {

QueryRow const& row();

struct AskedText {
  std::string stage;
  std::optional<int> node;  ///< empty: the current state
  int against = -1;
  bool to_parent = false;  ///< against the step before
};

struct Text {
  using Asked = AskedText;
  using View = CodeText;
  struct Key {
    ProgramKey of;
    std::string stage;
    std::optional<ProgramKey> before;
    std::string refusal;  ///< why the state has no text; empty: it has one
    // The kernel as it is defined, for the stage that shows it.
    Model model;
    int kernel = -1;
    std::string among;  ///< one of these texts is wanted at a time
    bool operator==(Key const& other) const {
      return of == other.of && stage == other.stage && before == other.before &&
             refusal == other.refusal && model == other.model && kernel == other.kernel;
    }
  };
  static std::optional<Key> key(Seen const& seen, Asked const& asked);
  static QueryPart begin(Key const& key);
  static QueryTurn turn(Key const& key);
  static std::shared_ptr<View const> make(Key const& key, Making const& with);
};

/// As the target calls it; empty: it has no such listing.
std::string stage_of(std::string const& stage, Backend const& backend) {
  if (stage != kInstructionsStage) return stage;
  auto const* reporter = dynamic_cast<CodeReporter const*>(&backend);
  return reporter ? reporter->instructions_listing() : "";
}

std::optional<Text::Key> Text::key(Seen const& seen, Asked const& asked) {
  History const* history = current_history(seen);
  std::string stage = stage_of(asked.stage, *seen.backend);
  if (!history || stage.empty()) return std::nullopt;
  int node = asked.node.value_or(history->current());
  auto of = program_of(seen, node);
  if (!of) return std::nullopt;
  Key key{*std::move(of), stage, {}, history->node(node).refusal, {}, -1, stage};
  // What the code view shows is wanted again and again; what a comparison asks for waits beside it.
  if (node != history->current()) key.among = fmt::format("{} of {}", stage, node);
  int against = asked.to_parent ? history->node(node).parent : asked.against;
  if (stage == kExpressionStage)
    key.model = seen.state.model, key.kernel = seen.state.kernel;
  else if (key.refusal.empty())
    key.before = program_of(seen, against);
  if (key.before) key.among += " with changes";
  return key;
}

QueryPart Text::begin(Key const& key) {
  if (key.refusal.empty()) return {};
  CodeText none{.stage = key.stage, .failure = key.refusal};
  return {std::make_shared<CodeText const>(std::move(none)), true};
}

/// Remarks take an optimizer's time: no other text waits for them.
QueryTurn Text::turn(Key const& key) {
  return {key.stage == kRemarksStage ? QueryLane::kReports : QueryLane::kCode, key.among};
}

std::shared_ptr<CodeText const> text_of(Text::Key const& key) {
  te::Kernel defined = key.model ? key.model->kernel(key.kernel).kernel : te::Kernel();
  auto text =
      std::make_shared<CodeText>(code_text(key.of.program(), defined, key.stage, *key.of.backend));
  text->program_hash = key.of.hash;
  return text;
}

/// Made once for a program and a stage, whatever it is compared with.
std::shared_ptr<CodeText const> alone(Text::Key key, ProgramKey const& of, Making const& with) {
  key.of = of;
  key.before.reset();
  return std::static_pointer_cast<CodeText const>(with.need(row(), key_of(std::move(key))));
}

std::shared_ptr<CodeText const> Text::make(Key const& key, Making const& with) {
  if (!key.before) return text_of(key);
  auto now = alone(key, key.of, with);
  if (with.stop.stop_requested()) return nullptr;
  auto before = alone(key, *key.before, with);  // it was on screen before the step, most often
  auto changed = std::make_shared<CodeText>(with_changes(*now, *before));
  changed->program_hash = key.of.hash;
  return changed;
}

QueryRow const& row() {
  static QueryRow const row = query_row<Text>(
      {.name = "code", .title = "lowering", .lane = QueryLane::kCode, .kept = 400, .stops = false});
  return row;
}

}  // namespace query_code

std::shared_ptr<CodeText const> Session::code(std::string const& stage, bool against_parent) {
  using namespace query_code;
  return answer_of<Text>(*this, row(), {.stage = stage, .to_parent = against_parent});
}

std::shared_ptr<CodeText const> Session::code_of(int node, std::string const& stage, int against) {
  using namespace query_code;
  return answer_of<Text>(*this, row(), {.stage = stage, .node = node, .against = against});
}

}  // namespace tw::session
