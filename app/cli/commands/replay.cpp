#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "engine/support/files.h"

namespace tw::cli::command_replay {
namespace {

struct Arguments {
  std::string path, script, from, on, on_model, out;
};

constexpr char const* kOutcomes[] = {"applied", "changed", "refused"};

void print_text(session::ReplayView const& replay) {
  for (session::ReplayedStep const& step : replay.steps) {
    fmt::print("{:<8} {}\n", kOutcomes[size_t(step.outcome)], step.from);
    if (!step.to.empty() && step.to != step.from) fmt::print("{:<8} {}\n", "", step.to);
    if (!step.reason.empty()) fmt::print("{:<8} {}\n", "", step.reason);
  }
  fmt::print("\n{} on {}: {}\n", replay.from_kernel, replay.to_kernel, replay.summary);
  for (std::string const& match : replay.matches) fmt::print("  {}\n", match);
}

Json to_json(session::ReplayView const& replay) {
  Json steps = Json::array();
  for (session::ReplayedStep const& step : replay.steps)
    steps.push_back({{"from", step.from},
                     {"to", step.to},
                     {"outcome", kOutcomes[size_t(step.outcome)]},
                     {"reason", step.reason}});
  return {{"from", replay.from_kernel}, {"on", replay.to_kernel},
          {"summary", replay.summary},  {"steps", steps},
          {"matches", replay.matches},  {"script", replay.script}};
}

Result<session::ReplayView> run(Context const& context, Arguments const& arguments) {
  TRY_ASSIGN(session::Model model, load(context, arguments.path));
  session::Model other = model;
  if (!arguments.on_model.empty()) {
    TRY_ASSIGN(other, session::load_model(arguments.on_model, {}, *context.backend));
  }
  TRY_ASSIGN(int from, session::find_kernel(*model, arguments.from));
  TRY_ASSIGN(int to, session::find_kernel(*other, arguments.on));
  TRY_ASSIGN(session::NamedScript script, expanded_script(context, *model, from, arguments.script));
  return session::replay_on(*model, from, script, *other, to, *context.backend);
}

int replay(Context const& context, Arguments const& arguments) {
  auto result = run(context, arguments);
  if (!result) return report(context, result.error());
  if (!arguments.out.empty())
    if (Status status = write_output(arguments.out, result->script); !status)
      return report(context, status.error());
  if (context.json)
    print(to_json(*result));
  else
    print_text(*result);
  for (session::ReplayedStep const& step : result->steps)
    if (step.outcome == session::ReplayOutcome::kRefused) return 1;
  return 0;
}

void add_replay(Command app, Context& context) {
  auto command = app.add_subcommand("replay",
                                    "replay a schedule on another kernel: which steps applied, "
                                    "which changed and which were refused");
  auto arguments = std::make_shared<Arguments>();
  add_model_options(command, context, arguments->path);
  command.add_option("--script", arguments->script, "a schedule script, or 'default'")
      .type_name("F.tws")
      .required();
  command
      .add_option("--from", arguments->from,
                  "the kernel that the script is for (default: the first)")
      .type_name("KERNEL");
  command.add_option("--on", arguments->on, "the kernel to replay it on")
      .type_name("KERNEL")
      .required();
  command
      .add_option("--on-model", arguments->on_model,
                  "the model of that kernel, if it is a different one")
      .type_name("MODEL");
  command.add_option("--out", arguments->out, "write the resulting script there")
      .type_name("F.tws");
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return replay(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 90, .add = add_replay};
  return row;
}

}  // namespace tw::cli::command_replay
