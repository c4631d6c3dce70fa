// Opens a trial of a tuning as steps of the kernel's history.
#include <fmt/format.h>

#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"
#include "engine/session/state/opened_trial.h"

namespace tw::session::command_open_trial {

Status run(Parts& parts, OpenTrial const& c) {
  Status status = parts.cell.commit([&](State& now) -> Status {
    TRY(check_tuned(now));
    TuningView view{now.runs};
    TuningRun const* of = view.run(c.run);
    if (!of) return bad_input("no_tuning", fmt::format("there is no tuning {}", c.run));
    TuningTrial const* trial = of->trial(c.trial);
    if (!trial)
      return bad_input("no_trial", fmt::format("the {} search of {} has no trial {}", of->search,
                                               of->kernel, c.trial));
    auto work = now.kernels.find(of->row);
    if (work == now.kernels.end())
      return bad_input("unknown_kernel", fmt::format("there is no kernel {}", of->row));
    std::string name = fmt::format("trial {} of the {} search", trial->number, of->search);
    TRY_ASSIGN(work->second.history,
               opened({trial->script, name, trial->ms}, work->second.history));
    now.kernel = of->row;
    now.refusal = nullptr;
    return {};
  });
  if (status) parts.measuring.start();
  return status;
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_open_trial
