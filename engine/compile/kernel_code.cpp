#include "engine/compile/kernel_code.h"

#include <fmt/format.h>

#include <set>

#include "engine/compile/load_time.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/trace.h"

namespace tw {
namespace {

Result<Artifact> object_of(ir::Program const& program, Backend const& backend, CodeTier tier,
                           StopToken stop) {
  TRY_ASSIGN(std::vector<LoweredStage> stages, lower(program, backend.target(), backend.passes()));
  return backend.generate(stages.back().kernel, tier, CodeTexts::kNone, stop);
}

std::vector<bool> read_inputs(ir::Program const& at_run, size_t inputs) {
  std::set<std::string> names;
  ir::walk_exprs(at_run.body, [&](ir::Expr const& e) {
    if (auto const* read = e.as<ir::Load>()) names.insert(read->buffer->name);
    return true;
  });
  std::vector<bool> read;
  for (size_t i = 0; i < inputs; ++i) read.push_back(names.contains(at_run.inputs[i]->name));
  return read;
}

}  // namespace

Result<KernelCode> emit_kernel(ir::Program const& scheduled, Backend const& backend, CodeTier tier,
                               StopToken stop) {
  LoadTimeSplit split = split_load_time(scheduled);
  KernelCode code;
  auto run = object_of(split.at_run, backend, tier, stop);
  if (!run) {
    std::string reason = backend.why_unfit(scheduled);
    if (!reason.empty()) run.error().message = reason;
    return std::unexpected(run.error());
  }
  code.run = *std::move(run);
  if (split.at_load) {
    TRY_ASSIGN(code.load, object_of(*split.at_load, backend, CodeTier::kFast, stop));
  }
  code.made = std::move(split.made);
  code.read = read_inputs(split.at_run, scheduled.inputs.size());
  return code;
}

Result<KernelCode> compile_kernel(ir::Program const& scheduled, Backend const& backend,
                                  CodeTier tier, StopToken stop) {
  TRY_ASSIGN(KernelCode code, emit_kernel(scheduled, backend, tier, stop));
  TRY_ASSIGN(code.run.library, backend.link({&code.run.parts, 1}));
  if (code.load) {
    TRY_ASSIGN(code.load->library, backend.link({&code.load->parts, 1}));
  }
  return code;
}

namespace {

Result<Schedule> replayed(ir::Program const& program, std::string const& script,
                          std::string const& file, Backend const& backend) {
  Schedule plain(program, backend.shared_target());
  if (script.empty()) return plain;
  TRY_ASSIGN(Script parsed, parse_script(script, file));
  auto scheduled = replay(std::move(plain), parsed);
  if (!scheduled)
    return refused("step_refused",
                   fmt::format("{}: {}", scheduled.error().code, scheduled.error().message),
                   Place{file, scheduled.error().line, 0, {}});
  return std::move(*scheduled);
}

}  // namespace

Result<ir::Program> schedule_program(ir::Program const& program, std::string const& script,
                                     std::string const& file, Backend const& backend) {
  TRY_ASSIGN(Schedule schedule, replayed(program, script, file, backend));
  return schedule.program();
}

Result<Schedule> schedule_of(ir::Program const& program, std::string const* given,
                             Backend const& backend) {
  return given ? replayed(program, *given, "", backend) : backend.default_schedule(program);
}

}  // namespace tw
