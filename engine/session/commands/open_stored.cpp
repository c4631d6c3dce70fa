// Opens a trial of the store as steps of the history of the kernel that it is of.
#include <fmt/format.h>

#include "engine/records/trial_store.h"
#include "engine/session/commands/command_row.h"
#include "engine/session/state/opened_trial.h"

namespace tw::session::command_open_stored {

/// The front's thread waits for nobody: readers of a store only wait while it is made.
constexpr int kPatience = 200;  // milliseconds

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

Status run(Parts& parts, OpenStored const& c) {
  TRY_ASSIGN(records::StoredTrial stored, stored_trial(parts.options.trial_store, c.trial));
  TRY(parts.cell.commit([&](State& now) -> Status {
    if (!now.model)
      return bad_input("no_model",
                       fmt::format("no model is open that has the kernel {} of trial {}",
                                   stored.trial.task_name, stored.id));
    TRY_ASSIGN(int row, row_of(*now.model, stored, now.kernel));
    auto work = now.kernels.find(row);
    if (work == now.kernels.end()) {
      TRY_ASSIGN(KernelWork begun, begin_kernel(*now.model, row, *now.backend));
      work = now.kernels.emplace(row, std::move(begun)).first;
    }
    double ms = records::seconds_of(stored.trial).value_or(0) * 1e3;
    std::string name = fmt::format("trial {} of the store", stored.id);
    TRY_ASSIGN(work->second.history, opened({stored.trial.trace, name, ms}, work->second.history));
    now.kernel = row;
    now.refusal = nullptr;
    return {};
  }));
  parts.measuring.start();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_open_stored
