// What is done with one kernel: lowered, checked, measured.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "engine/compile/load_time.h"
#include "engine/measure/kernel_bench.h"
#include "engine/schedule/macros/expansion.h"
#include "engine/schedule/repairs.h"
#include "engine/schedule/trace.h"
#include "engine/session/cases/size_cases.h"
#include "engine/session/model/checked_run.h"
#include "engine/session/model/further_inputs.h"
#include "engine/session/model/kernel_reference.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/model/open_kernel.h"
#include "engine/session/model/progress_ticker.h"
#include "engine/session/spread_words.h"
#include "engine/session/stage_names.h"
#include "engine/session/views/compare.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

/// The plain nest of a large convolution takes a while: one run is enough to know how slow it is.
BenchOptions bench_options(int threads, Backend const& backend, StopToken stop) {
  BenchOptions options;
  options.threads = threads > 0 ? threads : backend.target().hardware.unit().count;
  options.timing = {.warm_up = 1, .repeats = 5, .min_sample_seconds = 50e-6, .most_seconds = 2};
  options.call.stop = stop;
  options.call.timeout = std::chrono::minutes(2);
  return options;
}

Status check_stage(std::string const& stage, Backend const& backend) {
  std::vector<CodeStage> stages = code_stages(backend);
  std::string names;
  for (CodeStage const& one : stages) names += (names.empty() ? "" : ", ") + one.key;
  if (std::ranges::find(stages, stage, &CodeStage::key) != stages.end()) return {};
  return bad_input("unknown_stage",
                   fmt::format("there is no stage '{}'; the stages are {}", stage, names));
}

Result<CodeText> whole(CodeText text) {
  if (!text.failure.empty()) return environment_failed("stage_failed", text.failure);
  return text;
}

/// A script for a kernel of another name says nothing about this one.
Status check_owner(Script const& script, std::string const& kernel, std::string const& file) {
  if (script.kernel.empty() || script.kernel == kernel) return {};
  return refused("step_refused",
                 fmt::format("other_kernel: the script is for the kernel {}, not for {}",
                             script.kernel, kernel),
                 Place{file, script.kernel_line, 0, {}});
}

/// With its sizes open where the script says so, and has some.
Result<ir::Program> scheduled_program(LoadedModel const& model, int kernel,
                                      NamedScript const& script, Backend const& backend) {
  if (!script.open) {
    TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
    return schedule_program(program, script.text, script.name, backend);
  }
  TRY_ASSIGN(Schedule schedule, first_schedule(model, kernel, true, backend));
  if (!script.text.empty()) {
    TRY_ASSIGN(Script parsed, parse_script(script.text, script.name));
    auto done = replay(std::move(schedule), parsed);
    if (!done)
      return refused("step_refused", fmt::format("{}: {}", done.error().code, done.error().message),
                     Place{script.name, done.error().line, 0, {}});
    schedule = std::move(*done);
  }
  return schedule.sized() ? schedule.sized()->program : schedule.program();
}

}  // namespace

Result<CodeText> lower_kernel(LoadedModel const& model, int kernel, NamedScript const& script,
                              std::string const& called, Backend const& backend,
                              LowerOptions const& options) {
  std::string const stage = stage_called(called);
  TRY(check_stage(stage, backend));
  TRY_ASSIGN(ir::Program scheduled, scheduled_program(model, kernel, script, backend));
  return text_at(scheduled, model.kernel(kernel).kernel, stage, backend, options);
}

Result<Timeline> simulate_kernel(LoadedModel const& model, int kernel, NamedScript const& script,
                                 Backend const& backend, StopToken stop) {
  if (!backend.has_timeline())
    return refused("no_simulator",
                   fmt::format("the target '{}' has no simulator", backend.target().name));
  TRY_ASSIGN(ir::Program scheduled, scheduled_program(model, kernel, script, backend));
  return backend.timeline(split_load_time(scheduled).at_run, stop);
}

Result<std::string> default_script(LoadedModel const& model, int kernel, Backend const& backend) {
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  return backend.default_script(program);
}

Result<std::string> without_macros(LoadedModel const& model, int kernel, NamedScript const& script,
                                   Backend const& backend, MacroSet const& macros) {
  if (script.text.empty()) return script.text;
  TRY_ASSIGN(Script parsed, parse_script(script.text, script.name, false, &macros));
  bool uses = std::ranges::any_of(parsed.steps, [&](auto const& line) {
    return macros.find(line.second.primitive) != nullptr;
  });
  if (!uses) return script.text;
  TRY_ASSIGN(Schedule first, first_schedule(model, kernel, script.open, backend));
  auto done = replay(std::move(first), parsed, &macros);
  if (!done)
    return refused("step_refused", fmt::format("{}: {}", done.error().code, done.error().message),
                   Place{script.name, done.error().line, 0, {}});
  return done->script();
}

Result<std::string> script_in_primitives(LoadedModel const& model, int kernel,
                                         NamedScript const& script, Backend const& backend) {
  auto refusal_of = [&](Refusal const& why) {
    return refused("step_refused", fmt::format("{}: {}", why.code, why.message),
                   Place{script.name, why.line, 0, {}});
  };
  TRY_ASSIGN(Schedule first, first_schedule(model, kernel, script.open, backend));
  if (script.text.empty()) return first.script();
  TRY_ASSIGN(Script parsed, parse_script(script.text, script.name));
  auto made = replay(first, parsed);
  if (!made) return refusal_of(made.error());
  auto written_out = in_primitives(std::move(first), made->trace());
  if (!written_out) return refusal_of(written_out.error());
  return written_out->script();
}

Result<KernelAnalysis> analyze_kernel(LoadedModel const& model, int kernel,
                                      std::string const& script, std::string const& script_file,
                                      MachineView const& machine, Backend const& backend) {
  if (!machine.rates)
    return bad_input("unknown_roofs", "the roofs of the machine are not measured");
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  TRY_ASSIGN(ir::Program scheduled, schedule_program(program, script, script_file, backend));
  ir::Program runs = split_load_time(scheduled).at_run;
  analysis::Locality locality(runs, backend.target().hardware.line_bytes());
  auto time = backend.model_time(runs, locality, *machine.rates);
  if (!time)
    return refused("no_time_model", fmt::format("the target '{}' has no time model for kernels",
                                                backend.target().name));
  return KernelAnalysis{nest_view(scheduled, machine.cache_bytes, backend),
                        roofline_point(*time, double(model.kernel(kernel).flops)),
                        time->arithmetic_seconds * 1e3, explanation_of(*time)};
}

namespace {

/// Every pass of lowering gives a kernel that holds what it promises. That the target refuses the
/// kernel is said where it is compiled.
Status passes_hold(Schedule const& schedule, Backend const& backend) {
  std::vector<ir::Program> programs{split_load_time(schedule.program()).at_run};
  if (schedule.sized()) programs.push_back(schedule.sized()->program);
  for (ir::Program const& program : programs) {
    auto stages =
        lower(program, backend.target(), backend.passes(), {.verify = VerifyPasses::kEach});
    if (!stages && stages.error().code == "pass_failed_check")
      return std::unexpected(stages.error());
  }
  return {};
}

}  // namespace

namespace {

/// What is right on the first inputs.
Status judge_further(JudgedKernel const& of, CheckOptions const& what, ir::Program const& plain,
                     KernelCode const& code, ScriptCheck& result) {
  if (!what.inputs.empty()) {
    TRY_ASSIGN(JudgedInputs given, judge_given(of, what.inputs, plain, code));
    result.further.push_back(std::move(given));
  }
  if (!what.further) return {};
  if (Status fits = verify_further(of.model.kernel(of.kernel).kernel); !fits) {
    result.not_further = fits.error().message;
    return {};
  }
  TRY_ASSIGN(FurtherInputs inputs, FurtherInputs::create(of, plain));
  TRY_ASSIGN(FurtherVerdict verdict, inputs.judge(code, of.options));
  std::ranges::move(verdict.judged, std::back_inserter(result.further));
  result.rounding_units = verdict.rounding_units;
  return {};
}

}  // namespace

Result<ScriptCheck> check_script(LoadedModel const& model, int kernel, std::string const& script,
                                 std::string const& script_file, Backend const& backend,
                                 Device& device, CheckOptions const& what, StopToken stop,
                                 Progress const& progress) {
  Script parsed;  // without a step: the plain nest
  if (!script.empty()) {
    TRY_ASSIGN(parsed, parse_script(script, script_file, false, what.macros));
  }
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  TRY(check_owner(parsed, plain.name, script_file));
  TRY_ASSIGN(Schedule schedule, first_schedule(model, kernel, what.open, backend));
  ScriptCheck result;
  for (auto const& [line, step] : parsed.steps) {
    CheckedStep checked{line, to_text(step), true, {}};
    Macro const* macro = what.macros ? what.macros->find(step.primitive) : nullptr;
    size_t before = schedule.trace().size();
    // The schedule stays as it is where the step is refused.
    auto next =
        macro ? apply_macro(schedule, *macro, step, *what.macros) : std::move(schedule).apply(step);
    if (!next) {
      checked.legal = false;
      Refusal refusal = next.error();
      if (refusal.repairs.empty()) refusal.repairs = repairs_for(schedule, step);
      checked.refusal = refusal_view(schedule.program(), refusal, checked.text);
      result.steps.push_back(std::move(checked));
      return result;
    }
    schedule = std::move(*next);
    if (macro)
      for (TakenStep const& taken : std::span(schedule.trace()).subspan(before))
        checked.becomes.push_back(to_text(taken.step));
    result.steps.push_back(std::move(checked));
  }
  TRY(passes_hold(schedule, backend));
  TRY_ASSIGN(KernelReference reference,
             kernel_reference(model, kernel, backend, device, stop, progress));
  KernelBench bench(device, plain, std::move(reference.inputs));
  BenchOptions options = bench_options(what.threads, backend, stop);
  if (what.measure) {
    ProgressTicker elapsing(progress,
                            fmt::format("{}: timing the unscheduled loop nest", plain.name), 0);
    auto code = compile_kernel(plain, backend, CodeTier::kFull, stop);
    // A target may refuse the plain nest, and take a schedule that uses its memories.
    if (!code && code.error().fault != Fault::kRefused) return std::unexpected(code.error());
    if (code) {
      TRY_ASSIGN(BenchResult measured, bench.measure(*code, options));
      result.plain_ms = measured.samples.least() * 1e3;
    }
  }
  if (what.checked) {
    int64_t any = std::numeric_limits<int64_t>::max();
    ProgressTicker elapsing(progress,
                            fmt::format("{}: running with every access checked", plain.name), 0);
    TRY_ASSIGN(result.checked, run_checked(schedule.program(), 0, any, backend, bench, options));
    if (result.checked->is_wrong()) return result;
  }
  if (schedule.sized()) {
    TRY_ASSIGN(result.sizes, check_sizes(model, kernel, schedule, what.sizes, backend, device,
                                         options, progress));
  }
  ProgressTicker elapsing(progress, fmt::format("{}: running the scheduled kernel", plain.name), 0);
  TRY_ASSIGN(KernelCode code, compile_kernel(schedule.program(), backend, CodeTier::kFull, stop));
  TRY_ASSIGN(BenchResult measured, bench.measure(code, options));
  result.comparison = te::judge(measured.outputs, reference.expected);
  result.compared = true;
  if (result.comparison.equal && !schedule.sized())
    TRY(judge_further({model, kernel, backend, device, options, progress}, what, plain, code,
                      result));
  if (what.measure && result.is_right()) {
    result.scheduled_ms = measured.samples.least() * 1e3;
    result.scheduled_spread = spread_of(measured.samples.seconds);
  } else {
    result.plain_ms.reset();
  }
  return result;
}

namespace {

constexpr int kTurns = 5;  // of each schedule, a sample in each: what else runs disturbs both

/// What two schedules of a kernel are compared by.
struct Comparing {
  LoadedModel const& model;
  int kernel = 0;
  DiffOptions const& options;
  MachineView const& machine;
  Backend const& backend;
  Device& device;
  StopToken stop;
  Progress const& progress;
};

/// Errors: wrong_result, those of `check_script`.
Result<StateToCompare> side_of(Comparing const& by, NamedScript const& script,
                               ir::Program const& program) {
  StateToCompare side;
  side.state.name = script.name;
  side.state.script =
      script.text.empty() ? to_script(by.model.kernel(by.kernel).name, {}) : script.text;
  side.facts = std::make_shared<StateFacts const>(
      facts_of(program, by.machine.rates.get(), by.machine.cache_bytes, by.backend));
  if (!by.options.measure) return side;
  TRY_ASSIGN(ScriptCheck check,
             check_script(by.model, by.kernel, side.state.script, script.name, by.backend,
                          by.device, {.threads = by.options.threads}, by.stop, by.progress));
  if (!check.is_right())
    return refused("wrong_result", fmt::format("{} computes a wrong result: the largest difference "
                                               "is {:.3g}, and the largest value is {:.3g}",
                                               script.name, check.comparison.max_abs_diff,
                                               check.comparison.max_abs_ref));
  return side;
}

/// Both in turns, so that what else the machine does is in both times.
Status time_in_turns(Comparing const& by, ir::Program const& plain,
                     std::array<ir::Program const*, 2> programs,
                     std::array<StateToCompare*, 2> sides) {
  TRY_ASSIGN(KernelReference reference,
             kernel_reference(by.model, by.kernel, by.backend, by.device, by.stop, by.progress));
  KernelBench bench(by.device, plain, std::move(reference.inputs));
  BenchOptions options = bench_options(by.options.threads, by.backend, by.stop);
  options.timing.repeats = 1;
  std::vector<KernelCode> codes;
  for (ir::Program const* program : programs) {
    TRY_ASSIGN(KernelCode code, compile_kernel(*program, by.backend, CodeTier::kFull, by.stop));
    codes.push_back(std::move(code));
  }
  std::array<Samples, 2> samples;
  ProgressTicker elapsing(
      by.progress, fmt::format("{}: timing both schedules in interleaved runs", plain.name), 0);
  for (int turn = 0; turn < kTurns; ++turn)
    for (size_t i : {size_t(turn % 2), size_t(1 - turn % 2)}) {
      TRY_ASSIGN(BenchResult measured, bench.measure(codes[i], options));
      std::ranges::copy(measured.samples.seconds, std::back_inserter(samples[i].seconds));
    }
  for (size_t i : {0, 1}) {
    sides[i]->min_ms = samples[i].least() * 1e3;
    sides[i]->spread = spread_of(samples[i].seconds);
  }
  return {};
}

}  // namespace

Result<ScriptDiff> diff_scripts(LoadedModel const& model, int kernel, NamedScript const& before,
                                NamedScript const& after, DiffOptions const& options,
                                MachineView const& machine, Backend const& backend, Device& device,
                                StopToken stop, Progress const& progress) {
  TRY(check_stage(options.stage, backend));
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  TRY_ASSIGN(ir::Program first, schedule_program(plain, before.text, before.name, backend));
  TRY_ASSIGN(ir::Program second, schedule_program(plain, after.text, after.name, backend));
  Comparing by{model, kernel, options, machine, backend, device, stop, progress};
  TRY_ASSIGN(StateToCompare from, side_of(by, before, first));
  TRY_ASSIGN(StateToCompare to, side_of(by, after, second));
  if (options.measure) TRY(time_in_turns(by, plain, {&first, &second}, {&from, &to}));
  te::Kernel const& defined = model.kernel(kernel).kernel;
  TRY_ASSIGN(CodeText then, whole(code_text(first, defined, options.stage, backend)));
  TRY_ASSIGN(CodeText now, whole(code_text(second, defined, options.stage, backend)));
  return ScriptDiff{compare_states(from, to, work_of(model.kernel(kernel)), machine.roofs),
                    with_changes(std::move(now), then)};
}

}  // namespace tw::session
