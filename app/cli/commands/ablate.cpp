#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "engine/session/cases/gain_cases.h"
#include "engine/session/tuning.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_ablate {
namespace {

void print_text(session::AblationView const& view) {
  fmt::print("{} takes {}", view.title, milliseconds_text(*view.ms));
  if (view.default_ms)
    fmt::print(", the default {}: {}", milliseconds_text(*view.default_ms),
               speedup_text(*view.default_ms / *view.ms));
  fmt::print("\n\n{:>18} {:>7}  {}\n", "without it", "share", "step");
  for (auto const& part : view.parts) {
    std::string loss = part.loss ? speedup_text(1 / (1 + *part.loss)) : "not timed";
    fmt::print("{:>18} {:>7}  {}{}\n", loss, part.loss ? percent_text(part.share) : "", part.name,
               part.detail.empty() ? "" : "  (" + part.detail + ")");
    if (!part.sentence.empty()) fmt::print("{:>26}  {}\n", "", part.sentence);
  }
}

Json to_json(session::AblationView const& view) {
  Json steps = Json::array();
  for (auto const& part : view.parts) {
    Json step = {{"step", part.name}, {"share", part.share}};
    if (part.loss) step["loss"] = *part.loss;
    if (!part.detail.empty()) step["detail"] = part.detail;
    if (!part.sentence.empty()) step["reason"] = part.sentence;
    steps.push_back(std::move(step));
  }
  Json json = {{"kernel", view.kernel}, {"ms", *view.ms}, {"steps", steps}};
  if (view.default_ms) json["default_ms"] = *view.default_ms;
  return json;
}

int ablate(Context const& context, KernelArguments const& arguments) {
  auto chosen = choose_expanded(context, arguments);
  if (!chosen) return report(context, chosen.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  bool disturbed = is_disturbed(context, **device);
  auto view =
      session::ablate_script(*chosen->model, chosen->kernel, chosen->script, *context.backend,
                             **device, context.threads, {}, progress_of(context));
  end_progress(context);
  if (!view) return report(context, view.error());
  Json json = to_json(*view);
  json["disturbed"] = disturbed;
  if (context.json)
    print(json);
  else
    print_text(*view);
  say_disturbed(context, disturbed);
  return 0;
}

void add_ablate(Command app, Context& context) {
  auto command = app.add_subcommand("ablate", "time the schedule with each step left out");
  auto arguments = std::make_shared<KernelArguments>();
  add_kernel_options(command, context, *arguments);
  add_device_option(command, context);
  add_threads_option(command, context);
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return ablate(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 82, .add = add_ablate};
  return row;
}

}  // namespace tw::cli::command_ablate
