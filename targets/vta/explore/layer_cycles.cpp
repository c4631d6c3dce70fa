#include "targets/vta/explore/layer_cycles.h"

#include "engine/compile/load_time.h"
#include "engine/lowering/pipeline.h"
#include "targets/vta/compiler/listings.h"
#include "targets/vta/compiler/stages/kernel_calls.h"
#include "targets/vta/compiler/vta_backend.h"
#include "targets/vta/hardware/description.h"
#include "targets/vta/simulator/timing.h"

namespace tw::vta {

Result<LayerMachine> LayerMachine::create(Configuration const& configuration) {
  TRY_ASSIGN(auto backend, create_vta_backend(describe(configuration)));
  return LayerMachine(configuration, std::move(backend));
}

Result<double> LayerMachine::cycles(ir::Program const& plain) const {
  Decisions by_rule;
  TRY_ASSIGN(Schedule schedule, backend_->templated(plain, by_rule));
  ir::Program program = split_load_time(schedule.program()).at_run;
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(program, backend_->target(), backend_->passes(), {}));
  TRY_ASSIGN(CallProgram calls, kernel_calls(stages.back().kernel, configuration_, nullptr));
  TRY_ASSIGN(std::vector<Batch> batches, make_batches(calls, sample_addresses(calls)));
  double sum = 0;
  for (Batch const& batch : batches) {
    TRY_ASSIGN(TimedRun run, run_timed(configuration_, batch.stream, {}, {.execute = false}));
    sum += double(run.cycles);
  }
  return sum;
}

}  // namespace tw::vta
