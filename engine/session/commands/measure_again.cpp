// Measures the current state again.
#include "engine/session/commands/command_row.h"
#include "engine/session/state/known_devices.h"

namespace tw::session::command_measure_again {

Status run(Parts& parts, MeasureAgain const&) {
  TRY(check_attached(parts.cell.read()->here.device));
  TRY(parts.cell.commit([](State& now) -> Status {
    if (!now.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    KernelWork& work = now.now();
    int node = work.history.current();
    work.history = work.history.with_correctness(node, now.here, Correctness::kUnknown, "");
    work.checked.erase(node);
    work.judged_further.erase(node);
    return {};
  }));
  parts.measuring.start();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_measure_again
