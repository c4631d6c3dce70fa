#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "engine/session/schedule_views.h"

namespace tw::cli {
namespace {

struct Arguments {
  KernelArguments kernel;
  std::string stage = "program";
};

int list_stages(Context const& context) {
  Json rows = Json::array();
  for (auto const& stage : session::code_stages(*context.backend)) {
    rows.push_back({{"stage", stage.key}, {"title", stage.title}, {"why", stage.why}});
    if (!context.json)
      fmt::print("{:<24} {}\n", stage.key, stage.why.empty() ? stage.title : stage.why);
  }
  if (context.json) print(rows);
  return 0;
}

int lower(Context const& context, Arguments const& arguments) {
  auto chosen = choose_kernel(context, arguments.kernel);
  if (!chosen) return report(context, chosen.error());
  if (arguments.stage == "script") return fmt::print("{}", chosen->script.text), 0;
  if (arguments.stage == "list") return list_stages(context);
  auto text = session::lower_kernel(*chosen->model, chosen->kernel, chosen->script, arguments.stage,
                                    *context.backend);
  if (!text) return report(context, text.error());
  std::string all;
  for (auto const& line : text->lines) all += line.text + "\n";
  if (context.json)
    print({{"stage", arguments.stage}, {"title", text->title}, {"text", all}});
  else
    fmt::print("{}", all);
  return 0;
}

}  // namespace

void add_lower(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "lower", "a kernel's program after any pass, its LLVM IR and its assembly");
  auto arguments = std::make_shared<Arguments>();
  add_kernel_options(*command, context, arguments->kernel);
  command
      ->add_option("--stage", arguments->stage,
                   "a stage's name, 'list' for all names, 'script' for the schedule itself "
                   "(default: program)")
      ->type_name("STAGE");
  command->callback([&context, arguments] {
    context.run = [&context, arguments] { return lower(context, *arguments); };
  });
}

}  // namespace tw::cli
