#include <fmt/format.h>

#include <algorithm>

#include "app/cli/output.h"

namespace tw::cli {
namespace {

struct Arguments {
  std::string path;
  session::ExportRequest request;
  bool compare = false;
};

/// Best time on this machine's device, as the window measures it.
Result<double> device_ms(Context const& context, session::LoadedModel const& model, int threads,
                         Device& device) {
  TRY_ASSIGN(std::vector<NDArray> inputs, session::random_inputs(model, 1));
  session::RunOptions options{.rounds = 20,
                              .threads = threads,
                              .inputs = std::move(inputs),
                              .scripts = {},
                              .cache_folder = context.cache_folder};
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
          {"library_bytes", view.library_bytes},
          {"parameter_bytes", view.parameter_bytes},
          {"runtime_bytes", view.runtime_bytes},
          {"self_test", test}};
}

int run(Context const& context, Arguments const& arguments) {
  auto model = load(context, arguments.path);
  if (!model) return report(context, model.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  session::ExportRequest request = arguments.request;
  request.cache_folder = context.cache_folder;
  request.threads = context.threads;
  auto view =
      session::export_to_folder(**model, request, context.exports, *context.backend, **device);
  if (!view) return report(context, view.error());
  Json json = to_json(*view);
  std::string words = view->summary;
  if (arguments.compare && view->tested && view->emulator.empty()) {
    auto ms = device_ms(context, **model, view->threads, **device);
    if (!ms) return report(context, ms.error());
    json["device_ms"] = *ms;
    words += fmt::format("; {:.3f} ms in the window, ratio {:.3f}", *ms, view->least_ms / *ms);
  }
  if (context.json) {
    print(json);
  } else {
    fmt::print("{}\n", words);
  }
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "export", "write the model as a folder that runs alone, and run it there before it is done");
  auto arguments = std::make_shared<Arguments>();
  add_model_options(*command, context, arguments->path);
  command
      ->add_option("--out", arguments->request.folder, "the folder; an earlier export is replaced")
      ->type_name("DIR")
      ->required();
  command->add_option("--target", arguments->request.target,
                      "cpu (this machine), cpu:x86-64-v3, cpu:x86-64-v4 or cpu:aarch64");
  command->add_flag("--compare", arguments->compare,
                    "time it as the window does, too, and give the ratio");
  command->add_option("--threads", context.threads, "threads of the test; 0 = all cores")
      ->check(CLI::Range(0, 1024));
  command->callback([&context, arguments] {
    context.run = [&context, arguments] { return run(context, *arguments); };
  });
}

}  // namespace tw::cli
