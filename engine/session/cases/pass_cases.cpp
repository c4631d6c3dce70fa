// What each pass does to one kernel.
#include <algorithm>

#include "engine/compile/kernel_code.h"
#include "engine/compile/load_time.h"
#include "engine/ir/rewrite.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

int statements_of(ir::KernelIr const& kernel) {
  int count = 0;
  auto add = [&](ir::Stmt const& s) {
    count += !s.as<ir::Seq>();
    return true;
  };
  ir::walk(kernel.host.body, add);
  for (ir::Function const& function : kernel.device) ir::walk(function.body, add);
  return count;
}

void count_changes(ir::KernelIr const& before, ir::KernelIr const& after, PassRun& run) {
  CodeText changed = with_changes(text_of_stage(after, {}), text_of_stage(before, {}));
  for (CodeLine const& line : changed.lines) {
    run.added += line.change == LineChange::kAdded;
    run.removed += line.change == LineChange::kRemoved;
  }
}

std::vector<std::string> names_of(Invariants const& invariants) {
  std::vector<std::string> names;
  for (Invariant invariant : invariants) names.emplace_back(name_of(invariant));
  return names;
}

}  // namespace

Result<std::vector<PassRun>> pass_runs(LoadedModel const& model, int kernel,
                                       NamedScript const& script, Backend const& backend,
                                       LowerOptions const& options) {
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  TRY_ASSIGN(ir::Program scheduled, schedule_program(plain, script.text, script.name, backend));
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(split_load_time(scheduled).at_run, backend.target(), backend.passes(), options));
  std::vector<PassRun> runs;
  for (size_t i = 0; i < stages.size(); ++i) {
    LoweredStage const& stage = stages[i];
    PassRun run{stage.name, stage.ran, stage.milliseconds, stage.verify_milliseconds,
                statements_of(stage.kernel)};
    if (i == 0) {
      run.gives = names_of(program_invariants());
    } else {
      count_changes(stages[i - 1].kernel, stage.kernel, run);
      run.gives = names_of(backend.passes()[i - 1].contract.gives);
      run.gives_up = names_of(backend.passes()[i - 1].contract.gives_up);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace tw::session
