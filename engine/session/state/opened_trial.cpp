#include "engine/session/state/opened_trial.h"

#include <fmt/format.h>

#include "engine/schedule/trace.h"
#include "engine/session/tuning.h"
#include "engine/support/base/quantities.h"

namespace tw::session {

Result<History> opened(TrialToOpen const& trial, History history) {
  TRY_ASSIGN(Script script, parse_script(trial.script, "script", false));
  size_t known = history.size();
  TRY_ASSIGN(history, history.jumped(0));
  for (auto const& [line, step] : script.steps) {
    auto next = history.schedule().apply(step, ProofBudget::kInteractive);
    if (!next)
      return refused("step_refused",
                     fmt::format("{} cannot be opened: {} was refused, {}", trial.name,
                                 tw::to_text(step), next.error().message));
    TRY_ASSIGN(history, history.add(*next));
  }
  std::string note = trial.name;
  if (trial.ms > 0) note += fmt::format(", {}", milliseconds_text(trial.ms));
  int leaf = history.current();
  if (history.size() > known) history = history.with_label(leaf, kTunedLabel);
  return history.node(leaf).note.empty() ? history.with_note(leaf, note) : history;
}

}  // namespace tw::session
