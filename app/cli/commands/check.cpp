#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/chosen_kernel.h"
#include "app/cli/given_inputs.h"
#include "engine/session/model/further_inputs.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_check {
namespace {

struct Arguments {
  KernelArguments kernel;
  bool timed = false;
  bool checked = false;
  std::vector<std::string> inputs;
};

Result<std::map<std::string, NDArray>> read_inputs(Arguments const& arguments,
                                                   ChosenKernel const& chosen) {
  auto infos = session::kernel_inputs(*chosen.model, chosen.kernel);
  TRY_ASSIGN(auto files, named_files(arguments.inputs, infos, "the kernel"));
  std::map<std::string, NDArray> given;
  for (session::ModelTensor const& info : infos) {
    auto file = files.find(info.name);
    if (file == files.end()) continue;
    TRY_ASSIGN(given[info.name], read_raw(file->second, info));
  }
  return given;
}

Json iteration_json(session::Iteration const& iteration) {
  Json loops = Json::object();
  for (auto const& [name, value] : iteration.loops) loops[name] = value;
  return loops;
}

Json step_json(session::CheckedStep const& step) {
  Json json = {{"line", step.line}, {"step", step.text}, {"legal", step.legal}};
  if (!step.becomes.empty()) json["becomes"] = step.becomes;
  if (step.legal) return json;
  json["code"] = step.refusal.code;
  json["message"] = step.refusal.message;
  json["culprits"] = step.refusal.culprits;
  if (auto const& conflict = step.refusal.conflict)
    json["counterexample"] = {{"first", iteration_json(conflict->first)},
                              {"second", iteration_json(conflict->second)},
                              {"element", conflict->element}};
  Json repairs = Json::array();
  for (auto const& repair : step.refusal.repairs)
    repairs.push_back({{"step", repair.step}, {"effect", repair.effect}});
  json["repairs"] = repairs;
  return json;
}

void print_refusal(session::CheckedStep const& step) {
  fmt::print("line {}: {} refused: {}\n  {}\n", step.line, step.text, step.refusal.code,
             step.refusal.message);
  std::string repairs;
  for (auto const& repair : step.refusal.repairs)
    repairs += (repairs.empty() ? "" : " or ") + repair.step +
               (repair.effect.empty() ? "" : " (" + repair.effect + ")");
  if (!repairs.empty()) fmt::print("  legal instead: {}\n", repairs);
}

void print_sizes(session::SizesCheck const& sizes) {
  fmt::print("one piece of code for {}; run with {}: {}\n", count_text(sizes.values, "value"),
             fmt::join(sizes.ran, "; "),
             sizes.wrong.empty() ? "right" : "WRONG with " + sizes.wrong);
}

void print_text(session::ScriptCheck const& result) {
  int legal = 0;
  for (auto const& step : result.steps) {
    for (std::string const& one : step.becomes) fmt::print("line {}: {}\n", step.line, one);
    if (step.legal)
      ++legal;
    else
      print_refusal(step);
  }
  if (result.checked)
    fmt::print("run with checks: {}\n",
               result.checked->is_wrong() ? "WRONG, " + result.checked->text
                                          : "every access is in bounds and reads what was written");
  if (result.sizes) print_sizes(*result.sizes);
  if (!result.compared) return;
  fmt::print("{} legal; output {}: largest difference {:.3g}, largest value {:.3g}\n",
             count_text(legal, "step"), result.comparison.equal ? "right" : "WRONG",
             result.comparison.max_abs_diff, result.comparison.max_abs_ref);
  for (session::JudgedInputs const& one : result.further)
    fmt::print("on {}: {}\n", one.of, one.comparison.equal ? "right" : "WRONG");
  if (!result.not_further.empty()) fmt::print("{}\n", result.not_further);
  if (result.rounding_units) fmt::print("{}\n", session::rounding_words(*result.rounding_units));
  if (result.plain_ms && result.scheduled_ms)
    fmt::print("plain {}, scheduled {}: {}\n", milliseconds_text(*result.plain_ms),
               milliseconds_text(*result.scheduled_ms),
               speedup_text(*result.plain_ms / *result.scheduled_ms));
  else if (result.scheduled_ms)
    fmt::print("scheduled {}; the target refuses the unscheduled nest\n",
               milliseconds_text(*result.scheduled_ms));
}

/// The default schedule is one for numbers.
bool stays_open(Arguments const& arguments, ChosenKernel const& chosen) {
  return arguments.kernel.script != "default" && !chosen.shown;
}

int check(Context const& context, Arguments const& arguments) {
  auto chosen = choose_kernel(context, arguments.kernel);
  if (!chosen) return report(context, chosen.error());
  auto inputs = read_inputs(arguments, *chosen);
  if (!inputs) return report(context, inputs.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  bool disturbed = arguments.timed && is_disturbed(context, **device);
  auto result = session::check_script(*chosen->model, chosen->kernel, chosen->script.text,
                                      chosen->script.name, *context.backend, **device,
                                      {.measure = arguments.timed,
                                       .checked = arguments.checked,
                                       .threads = context.threads,
                                       .macros = context.macros.get(),
                                       .open = stays_open(arguments, *chosen),
                                       .sizes = chosen->sizes,
                                       .inputs = *std::move(inputs)},
                                      {}, progress_of(context));
  end_progress(context);
  if (!result) return report(context, result.error());
  if (context.json) {
    Json steps = Json::array();
    for (auto const& step : result->steps) steps.push_back(step_json(step));
    Json json = {{"steps", steps}};
    if (result->checked)
      json["checked"] = {{"right", !result->checked->is_wrong()}, {"text", result->checked->text}};
    if (result->sizes)
      json["sizes"] = {{"values", result->sizes->values},
                       {"ran", result->sizes->ran},
                       {"wrong", result->sizes->wrong}};
    if (result->compared)
      json["comparison"] = {{"max_abs_diff", result->comparison.max_abs_diff},
                            {"max_abs_ref", result->comparison.max_abs_ref},
                            {"equal", result->comparison.equal}};
    for (session::JudgedInputs const& one : result->further)
      json["further"].push_back({{"of", one.of},
                                 {"max_abs_diff", one.comparison.max_abs_diff},
                                 {"equal", one.comparison.equal}});
    if (!result->not_further.empty()) json["not_further"] = result->not_further;
    if (result->rounding_units) json["rounding_units"] = *result->rounding_units;
    if (arguments.timed) json["disturbed"] = disturbed;
    if (result->plain_ms) json["plain_ms"] = *result->plain_ms;
    if (result->scheduled_ms) json["scheduled_ms"] = *result->scheduled_ms;
    print(json);
  } else {
    print_text(*result);
    say_disturbed(context, disturbed);
  }
  bool right = !result->sizes || result->sizes->wrong.empty();
  return result->is_right() && right ? 0 : 1;
}

void add_check(Command app, Context& context) {
  auto command = app.add_subcommand("check",
                                    "apply a schedule step by step: which steps are legal, why "
                                    "others are not, and whether the result is correct");
  auto arguments = std::make_shared<Arguments>();
  add_kernel_options(command, context, arguments->kernel);
  command.add_flag("--time", arguments->timed, "time the unscheduled and the scheduled loop nest");
  command.add_flag(
      "--checked", arguments->checked,
      "run once and check every access: within its tensor's bounds, and written before it is read");
  add_input_option(
      command, arguments->inputs,
      "also check on your own raw little-endian elements; inputs that are not given are random");
  add_device_option(command, context);
  add_threads_option(command, context);
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return check(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 70, .add = add_check};
  return row;
}

}  // namespace tw::cli::command_check
