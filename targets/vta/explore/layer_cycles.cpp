#include "targets/vta/explore/layer_cycles.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compile/load_time.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/legality/whole_program.h"
#include "targets/vta/compiler/listings.h"
#include "targets/vta/compiler/stages/kernel_calls.h"
#include "targets/vta/compiler/vta_backend.h"
#include "targets/vta/hardware/description.h"
#include "targets/vta/simulator/timing.h"

namespace tw::vta {
namespace {

/// log2 of the bytes of a memory that holds any tile of a layer.
constexpr int kLargeMemory = 22;

void reach(int64_t& used, int64_t end) { used = std::max(used, end); }

/// Behind the last element that the loops come to.
int64_t end_of(int64_t first, Call const& call, int64_t CallLoop::*step) {
  for (CallLoop const& loop : call.loops)
    first += (loop.extent - 1) * std::max<int64_t>(0, loop.*step);
  return first + 1;
}

void use_transfer(LayerRun& run, Transfer const& t) {
  int64_t end = int64_t(t.sram) + t.rows() * t.columns();
  if (t.memory == Memory::kInp) reach(run.inp, end);
  if (t.memory == Memory::kWgt) reach(run.wgt, end);
  if (t.memory != Memory::kInp && t.memory != Memory::kWgt) reach(run.acc, end);
}

void use(LayerRun& run, Call const& call) {
  if (call.kind == CallKind::kLoad || call.kind == CallKind::kStore)
    return use_transfer(run, call.transfer);
  reach(run.acc, end_of(call.dst, call, &CallLoop::dst));
  bool product = call.kind == CallKind::kGemm && !call.reset;
  if (product) reach(run.inp, end_of(call.src, call, &CallLoop::src));
  if (product) reach(run.wgt, end_of(call.wgt, call, &CallLoop::wgt));
  bool reads = call.kind == CallKind::kAlu && !call.use_immediate;
  if (reads) reach(run.acc, end_of(call.src, call, &CallLoop::src));
}

}  // namespace

Result<LayerMachine> LayerMachine::create(Configuration const& configuration) {
  TRY_ASSIGN(auto backend, create_vta_backend(describe(configuration)));
  return LayerMachine(configuration, std::move(backend));
}

/// Where the rule does nothing: whether larger memories would help.
std::string LayerMachine::why_unscheduled(ir::Program const& plain) const {
  Configuration large = configuration_;
  large.isa = IsaVersion::kV2;  // whose fields leave room for larger memories
  for (int Configuration::*size : {&Configuration::log_inp_bytes, &Configuration::log_wgt_bytes,
                                   &Configuration::log_acc_bytes})
    large.*size = kLargeMemory;
  Decisions by_rule({}, {}, 0, ProofBudget::kTrusted);
  auto backend = create_vta_backend(describe(large));
  auto schedule = backend ? (*backend)->templated(plain, by_rule)
                          : Result<Schedule>(std::unexpected(backend.error()));
  if (schedule && !schedule->trace().empty())
    return "no tile of it has room in the memories of data, weights and sums";
  return fmt::format("it has no product of elements of {} x {}", configuration_.batch(),
                     configuration_.block());
}

Result<LayerRun> LayerMachine::run(ir::Program const& plain) const {
  // On trust: of thousands of designs somebody builds one, and proves the schedules then.
  Decisions by_rule({}, {}, 0, ProofBudget::kTrusted);
  TRY_ASSIGN(Schedule schedule, backend_->templated(plain, by_rule));
  if (!holds_as_a_whole(plain, schedule.program(), backend_->target())) {
    TRY_ASSIGN(schedule, backend_->default_schedule(plain));
  }
  if (schedule.trace().empty()) return refused("unfit_layer", why_unscheduled(plain));
  ir::Program program = split_load_time(schedule.program()).at_run;
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(program, backend_->target(), backend_->passes(), {}));
  TRY_ASSIGN(CallProgram calls, kernel_calls(stages.back().kernel, configuration_, nullptr));
  TRY_ASSIGN(std::vector<Batch> batches, make_batches(calls, sample_addresses(calls)));
  LayerRun result;
  for (Call const& call : calls.calls) use(result, call);
  for (Batch const& batch : batches) {
    TRY_ASSIGN(TimedRun run, run_timed(configuration_, batch.stream, {}, {.execute = false}));
    result.cycles += double(run.cycles);
  }
  return result;
}

}  // namespace tw::vta
