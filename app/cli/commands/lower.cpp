#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"

namespace tw::cli {
namespace {

struct Arguments {
  KernelArguments kernel;
  std::string stage = "program";
};

int print_stage(Context const& context, session::LoweredKernel const& lowered,
                std::string const& stage) {
  for (size_t i = 0; i < lowered.stages.size(); ++i) {
    if (lowered.stages[i].key != stage) continue;
    session::CodeText const& text = lowered.texts[i];
    if (!text.failure.empty())
      return report(context, Error{"stage_failed", text.failure, {}, Fault::kEnvironment});
    std::string all;
    for (auto const& line : text.lines) all += line.text + "\n";
    if (context.json)
      print({{"stage", stage}, {"title", text.title}, {"text", all}});
    else
      fmt::print("{}", all);
    return 0;
  }
  std::string names;
  for (auto const& row : lowered.stages) names += (names.empty() ? "" : ", ") + row.key;
  return report(context,
                Error{"unknown_stage",
                      fmt::format("there is no stage '{}'; the stages are {}", stage, names),
                      {},
                      Fault::kBadInput});
}

int lower(Context const& context, Arguments const& arguments) {
  auto chosen = choose_kernel(context, arguments.kernel);
  if (!chosen) return report(context, chosen.error());
  if (arguments.stage == "script") return fmt::print("{}", chosen->script.text), 0;
  auto lowered = session::lower_kernel(*chosen->model, chosen->kernel, chosen->script.text,
                                       chosen->script.name, *context.backend);
  if (!lowered) return report(context, lowered.error());
  if (arguments.stage != "list") return print_stage(context, *lowered, arguments.stage);
  Json rows = Json::array();
  for (auto const& stage : lowered->stages) {
    rows.push_back({{"stage", stage.key}, {"title", stage.title}, {"why", stage.why}});
    if (!context.json)
      fmt::print("{:<24} {}\n", stage.key, stage.why.empty() ? stage.title : stage.why);
  }
  if (context.json) print(rows);
  return 0;
}

}  // namespace

void add_lower(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "lower", "a kernel's program after any pass, its LLVM IR and its assembly");
  auto arguments = std::make_shared<Arguments>();
  add_kernel_options(*command, context, arguments->kernel);
  command->add_option("--stage", arguments->stage,
                      "a stage's name, 'list' for all names, 'script' for the schedule itself");
  command->callback([&context, arguments] {
    context.run = [&context, arguments] { return lower(context, *arguments); };
  });
}

}  // namespace tw::cli
