// Trials become steps: those of a tuning in this session, and those of the store.
#include <fmt/format.h>

#include "engine/records/trial_store.h"
#include "engine/session/state/opened_trial.h"
#include "engine/session/state/session_impl.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

/// The session's thread waits for nobody: readers of a store only wait while it is made.
constexpr int kPatience = 200;  // milliseconds

}  // namespace

Result<History> opened(Opening const& trial, History history) {
  TRY_ASSIGN(Script script, parse_script(trial.script, "script", false));
  size_t known = history.size();
  TRY_ASSIGN(history, history.jumped(0));
  for (auto const& [line, step] : script.steps) {
    auto next = history.schedule().apply(step, Effort::kInteractive);
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

namespace {

Result<records::StoredTrial> stored_trial(std::string const& file, int number) {
  std::error_code ignored;
  if (file.empty()) return bad_input("no_store", "this session keeps no trials");
  if (!std::filesystem::exists(file, ignored))
    return bad_input("no_store", fmt::format("there is no store {}: a tuning makes one", file));
  TRY_ASSIGN(auto store, records::open_store(file, {.milliseconds_to_wait = kPatience}));
  if (number < 1) return bad_input("no_trial", fmt::format("there is no trial {}", number));
  TRY_ASSIGN(std::vector<records::StoredTrial> found,
             store->find({.after_id = number - 1, .up_to_id = number}));
  if (found.empty()) return bad_input("no_trial", fmt::format("the store has no trial {}", number));
  return std::move(found.front());
}

/// The kernel that the trial is of: `current`, where that is one of several. Errors: why there is
/// none.
Result<int> row_of(LoadedModel const& model, records::StoredTrial const& stored, int current) {
  records::Trial const& trial = stored.trial;
  if (trial.origin == records::Origin::kImported)
    return refused(
        "foreign_trial",
        fmt::format("trial {} comes from another tuner and cannot be replayed", stored.id));
  auto is_it = [&](int row) { return model.kernel(row).hash == trial.task; };
  if (current >= 0 && is_it(current)) return current;
  for (int row = 0; size_t(row) < model.plan.kernels.size(); ++row)
    if (is_it(row)) return row;
  return bad_input("unknown_kernel",
                   fmt::format("trial {} is of the kernel {}, which the open model does not have",
                               stored.id, trial.task_name));
}

}  // namespace

Status SessionImpl::run(OpenTrial const& c) {
  {
    std::lock_guard lock(mutex_);
    TRY(check_tuned());
    TuningView view{state_.runs};
    TuningRun const* of = view.run(c.run);
    if (!of) return bad_input("no_tuning", fmt::format("there is no tuning {}", c.run));
    TuningTrial const* trial = of->trial(c.trial);
    if (!trial)
      return bad_input("no_trial", fmt::format("the {} search of {} has no trial {}", of->search,
                                               of->kernel, c.trial));
    auto work = state_.kernels.find(of->row);
    if (work == state_.kernels.end())
      return bad_input("unknown_kernel", fmt::format("there is no kernel {}", of->row));
    std::string name = fmt::format("trial {} of the {} search", trial->number, of->search);
    TRY_ASSIGN(History history, opened({trial->script, name, trial->ms}, work->second.history));
    work->second.history = std::move(history);
    state_.kernel = of->row;
    state_.refusal = nullptr;
  }
  start_measuring();
  return {};
}

Status SessionImpl::run(OpenStored const& c) {
  TRY_ASSIGN(records::StoredTrial stored, stored_trial(options_.trial_store, c.trial));
  {
    std::lock_guard lock(mutex_);
    if (!state_.model)
      return bad_input("no_model",
                       fmt::format("no model is open that has the kernel {} of trial {}",
                                   stored.trial.task_name, stored.id));
    TRY_ASSIGN(int row, row_of(*state_.model, stored, state_.kernel));
    auto work = state_.kernels.find(row);
    if (work == state_.kernels.end()) {
      TRY_ASSIGN(KernelWork begun, begin_kernel(*state_.model, row, *backend()));
      work = state_.kernels.emplace(row, std::move(begun)).first;
    }
    double ms = records::seconds_of(stored.trial).value_or(0) * 1e3;
    std::string name = fmt::format("trial {} of the store", stored.id);
    TRY_ASSIGN(History history, opened({stored.trial.trace, name, ms}, work->second.history));
    work->second.history = std::move(history);
    state_.kernel = row;
    state_.refusal = nullptr;
  }
  start_measuring();
  return {};
}

}  // namespace tw::session
