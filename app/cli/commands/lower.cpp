#include <fmt/format.h>

#include "app/cli/output.h"
#include "engine/support/files.h"

namespace tw::cli {
namespace {

struct Arguments {
  std::string path, kernel, script, stage = "program";
  bool by_default = false;
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
  auto model = load(context, arguments.path);
  if (!model) return report(context, model.error());
  auto kernel = session::find_kernel(**model, arguments.kernel);
  if (!kernel) return report(context, kernel.error());
  std::string script;
  if (!arguments.script.empty()) {
    auto content = read_file(arguments.script, 1 << 20);
    if (!content) return report(context, content.error());
    script = *content;
  } else if (arguments.by_default) {
    auto rules = session::default_script(**model, *kernel, *context.backend);
    if (!rules) return report(context, rules.error());
    script = *rules;
  }
  if (arguments.stage == "script") return fmt::print("{}", script), 0;
  auto lowered =
      session::lower_kernel(**model, *kernel, script, arguments.script, *context.backend);
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
  add_model_options(*command, context, arguments->path);
  command->add_option("--kernel", arguments->kernel,
                      "the kernel's name or number (default: the first)");
  command->add_option("--script", arguments->script, "a schedule script to apply first")
      ->type_name("F.tws");
  command->add_flag("--default", arguments->by_default, "apply the schedule that the rules choose");
  command->add_option("--stage", arguments->stage,
                      "a stage's name, 'list' for all names, 'script' for the schedule itself");
  command->callback([&context, arguments] {
    context.run = [&context, arguments] { return lower(context, *arguments); };
  });
}

}  // namespace tw::cli
