#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/chosen_kernel.h"
#include "app/cli/interruption.h"
#include "engine/backend/target_table.h"
#include "engine/schedule/trace.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_export {
namespace {

struct Arguments {
  std::string path, kernel;
  std::vector<std::string> scripts, parameters;
  session::ExportRequest request;
  bool compare = false, by_default = false;
};

/// What the model's own test ran on: random inputs could choose a branch that cannot be run.
Result<std::vector<NDArray>> test_inputs(session::LoadedModel const& model,
                                         std::filesystem::path const& folder) {
  std::vector<NDArray> inputs;
  for (session::ModelTensor const& info : session::model_inputs(model)) {
    auto file = folder / "test" / fmt::format("input_{}.bin", inputs.size());
    TRY_ASSIGN(NDArray input, read_raw(file.string(), info));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// Best time on this machine's device, as the window measures it.
Result<double> device_ms(Context const& context, session::LoadedModel const& model,
                         session::ExportRequest const& request, session::ExportView const& view,
                         Device& device) {
  session::RunOptions options{.rounds = 20,
                              .threads = view.threads,
                              .inputs = {},
                              .scripts = request.scripts,
                              .cache_folder = context.cache_folder,
                              .kernel = request.kernel};
  TRY_ASSIGN(options.inputs, request.kernel < 0
                                 ? test_inputs(model, view.folder)
                                 : session::random_inputs_of(model, request.kernel, 1));
  TRY_ASSIGN(session::RunResult run, session::run_model(model, options, *context.backend, device));
  return *std::ranges::min_element(run.samples_ms);
}

Json to_json(session::ExportView const& view) {
  Json test = {{"ran", view.tested}};
  if (view.tested) {
    test.update({{"emulator", view.emulator},
                 {"compared_with", view.compared_with},
                 {"threads", view.threads},
                 {"largest_difference", view.largest_difference},
                 {"largest_value", view.largest_value},
                 {"min_ms", view.least_ms},
                 {"median_ms", view.median_ms}});
  } else {
    test["reason"] = view.not_tested_because;
  }
  return {{"folder", view.folder},
          {"target", view.target},
          {"kernels", view.kernels},
          {"shaped_kernels", view.shaped},
          {"note", view.note},
          {"library_bytes", view.library_bytes},
          {"parameter_bytes", view.parameter_bytes},
          {"runtime_bytes", view.runtime_bytes},
          {"self_test", test}};
}

/// "plain" and "default" are what every kernel has; a file's schedule goes to the kernel that its
/// `for` line names, else to the one that is exported alone.
Status take_scripts(Context const& context, Arguments const& arguments,
                    session::LoadedModel const& model, session::ExportRequest& request) {
  for (std::string const& word : arguments.scripts) {
    int row = request.kernel;
    bool by_name = word == "plain" || word == "default";
    if (by_name && row < 0)
      return bad_input(
          "unknown_kernel",
          fmt::format("'--script {}' needs --kernel: it is the schedule of a single kernel", word));
    TRY_ASSIGN(session::NamedScript named, named_script(context, model, std::max(0, row), word));
    if (named.text.empty() && by_name)
      named.text = to_script(session::kernel_table(model).rows[size_t(row)].name, {});
    TRY_ASSIGN(Script script, parse_script(named.text, named.name, false, context.macros.get()));
    if (!script.kernel.empty() && row < 0) {
      TRY_ASSIGN(row, session::find_kernel(model, script.kernel));
    }
    if (row < 0)
      return bad_input("unknown_kernel",
                       "does not name its kernel: add a line 'for KERNEL', or give --kernel",
                       Place{word, 0, 0, {}});
    TRY_ASSIGN(session::NamedScript expanded, without_macros(context, model, row, named));
    request.scripts[row] = expanded.text;
  }
  return {};
}

Status take_parameters(Arguments const& arguments, session::LoadedModel const& model,
                       session::ExportRequest& request) {
  if (!arguments.parameters.empty() && request.kernel < 0)
    return bad_input("unknown_parameter",
                     "--param needs --kernel: a model has its weights in its file");
  for (std::string const& given : arguments.parameters) {
    size_t equals = given.find('=');
    if (equals == std::string::npos)
      return bad_input("unknown_parameter",
                       fmt::format("--param takes NAME=FILE, not '{}'", given));
    std::string name = given.substr(0, equals);
    auto known = session::kernel_parameters(model, request.kernel);
    auto info = std::ranges::find(known, name, &session::ModelTensor::name);
    if (info == known.end()) {
      request.parameters[name];  // the export says which there are
      continue;
    }
    TRY_ASSIGN(request.parameters[name], read_raw(given.substr(equals + 1), *info));
  }
  return {};
}

Result<session::ExportRequest> request_of(Context const& context, Arguments const& arguments,
                                          session::ShapedModel const& source) {
  session::ExportRequest request = arguments.request;
  request.cache_folder = context.cache_folder;
  request.threads = context.threads;
  request.scripts = source.scripts;
  request.is_cut = source.is_cut;
  if (!arguments.kernel.empty()) {
    TRY_ASSIGN(request.kernel, session::find_kernel(*source.model, arguments.kernel));
  } else if (session::is_expression(*source.model)) {
    request.kernel = 0;
  }
  TRY(take_scripts(context, arguments, *source.model, request));
  TRY(take_parameters(arguments, *source.model, request));
  return request;
}

Result<session::ShapedModel> source_of(Context const& context, Arguments const& arguments) {
  using session::ProjectSchedules;
  return load_shaped(context, arguments.path,
                     arguments.by_default ? ProjectSchedules::kIgnored : ProjectSchedules::kKept);
}

/// What computes with floats beside the processor has the model in layouts of its own: a project's
/// schedules are for the kernels of these.
Status use_layouts_of_target(Context& context, std::string const& target) {
  if (!processor_beside(target)) return {};
  TRY_ASSIGN(std::shared_ptr<Backend const> backend, context.exports.backend_for(target));
  if (backend->target().computes_with(DType::kF32)) context.helper = std::move(backend);
  return {};
}

/// A signal takes away what was written so far; the shell then sees that it was one.
Result<session::ExportView> interruptible_export(Context const& context,
                                                 session::LoadedModel const& model,
                                                 session::ExportRequest const& request,
                                                 Device& device) {
  Interruption interruption;
  auto view = session::export_to_folder(model, request, context.exports, *context.backend, device,
                                        interruption.token(), progress_of(context));
  end_progress(context);
  if (!interruption.came()) return view;
  fmt::print(stderr, "tw: interrupted{}\n", view ? "; the export was done already" : "");
  interruption.pass_on();
}

int run(Context& context, Arguments const& arguments) {
  if (Status used = use_layouts_of_target(context, arguments.request.target); !used)
    return report(context, used.error());
  auto source = source_of(context, arguments);
  if (!source) return report(context, source.error());
  auto request = request_of(context, arguments, *source);
  if (!request) return report(context, request.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  session::LoadedModel const& model = *source->model;
  auto view = interruptible_export(context, model, *request, **device);
  if (!view) return report(context, view.error());
  Json json = to_json(*view);
  std::string words = view->summary;
  if (arguments.compare && view->tested && view->emulator.empty()) {
    auto ms = device_ms(context, model, *request, *view, **device);
    if (!ms) return report(context, ms.error());
    json["device_ms"] = *ms;
    words += fmt::format("; {} in the window, exported / window {}", milliseconds_text(*ms),
                         number_text(view->least_ms / *ms));
  }
  if (context.json) {
    print(json);
  } else {
    fmt::print("{}\n", words);
  }
  return 0;
}

void add_export(Command app, Context& context) {
  auto command = app.add_subcommand(
      "export", "export a model, a kernel or a project as a stand-alone folder, and test it there");
  auto arguments = std::make_shared<Arguments>();
  add_model_options(command, context, arguments->path);
  command.get_option("MODEL").description(
      "an ONNX file, a .te file, sample:NAME, example:NAME, or a project (.twproj)");
  command
      .add_option("--out", arguments->request.folder, "the folder; an earlier export is replaced")
      .type_name("DIR")
      .required();
  command
      .add_option("--kernel", arguments->kernel,
                  "export this kernel alone, with its weights: a name or number")
      .type_name("KERNEL");
  auto scripts = command
                     .add_option("--script", arguments->scripts,
                                 "a schedule for the kernel that it names; may be given several "
                                 "times; with --kernel also 'plain' or 'default'")
                     .type_name("F.tws")
                     .repeatable();
  command
      .add_flag("--default", arguments->by_default,
                "use the target's default schedules, even where a project has others")
      .excludes(scripts);
  command
      .add_option("--param", arguments->parameters,
                  "with --kernel: raw elements of a parameter (default: random)")
      .type_name("NAME=FILE")
      .repeatable();
  command
      .add_option("--target", arguments->request.target,
                  fmt::format("one of {} (default: the first, this machine)",
                              fmt::join(target_names(), ", ")))
      .type_name("TARGET");
  command.add_flag("--compare", arguments->compare,
                   "also time it as the window does, and print its time / the window's time");
  add_threads_option(command, context);
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return run(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 110, .add = add_export};
  return row;
}

}  // namespace tw::cli::command_export
