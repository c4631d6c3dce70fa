#include "engine/compile/kernel_code.h"

#include <fmt/format.h>

#include "engine/compile/load_time.h"
#include "engine/schedule/trace.h"

namespace tw {
namespace {

Result<Artifact> artifact_of(ir::Program const& program, Backend const& backend, CodeTier tier) {
  TRY_ASSIGN(std::vector<LoweredStage> stages, lower(program, backend.target(), backend.passes()));
  return backend.compile(stages.back().kernel, tier, CodeTexts::kNone);
}

}  // namespace

Result<KernelCode> compile_kernel(ir::Program const& scheduled, Backend const& backend,
                                  CodeTier tier) {
  LoadTimeSplit split = split_load_time(scheduled);
  KernelCode code;
  TRY_ASSIGN(code.run, artifact_of(split.at_run, backend, tier));
  if (split.at_load) {
    TRY_ASSIGN(code.load, artifact_of(*split.at_load, backend, CodeTier::kFast));
  }
  code.made = std::move(split.made);
  return code;
}

Result<ir::Program> schedule_program(ir::Program const& program, std::string const& script,
                                     std::string const& file) {
  if (script.empty()) return program;
  TRY_ASSIGN(Script parsed, parse_script(script, file));
  auto scheduled = replay(Schedule(program), parsed);
  if (!scheduled)
    return refused("step_refused",
                   fmt::format("{}: {}", scheduled.error().code, scheduled.error().message),
                   Place{file, scheduled.error().line, 0, {}});
  return scheduled->program();
}

}  // namespace tw
