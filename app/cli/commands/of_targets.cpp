// Commands that targets bring: a group for each target that has some, named as the target.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/cli/interruption.h"
#include "app/cli/output.h"
#include "engine/session/target_command.h"

namespace tw::cli::command_of_targets {
namespace {

using session::CommandParameter;
using session::ParameterKind;
using session::TargetCommand;

/// What the parser fills in, a list of words for each parameter.
using Words = std::map<std::string, std::vector<std::string>>;

int run_command(Context const& context, TargetCommand const& command, Words const& words) {
  session::CommandArguments arguments;
  for (auto const& [name, values] : words) arguments.set(name, values);
  Interruption interruption;
  auto outcome = command.run(arguments, interruption.token(), progress_of(context));
  end_progress(context);
  if (!outcome && interruption.came()) interruption.pass_on();
  if (!outcome) return report(context, outcome.error());
  if (context.json)
    print(outcome->json);
  else
    fmt::print("{}", outcome->text);
  return outcome->failed ? 1 : 0;
}

void add_parameter(Command app, CommandParameter const& parameter,
                   std::vector<std::string>& words) {
  bool operand = !parameter.name.starts_with("-");
  if (parameter.kind == ParameterKind::kFlag) {
    app.add_flag_callback(
        parameter.name, [&words] { words = {"yes"}; }, parameter.doc);
    return;
  }
  auto option = app.add_option(parameter.name, words, parameter.doc);
  bool several = parameter.kind == ParameterKind::kTexts;
  if (!operand) option.type_name(parameter.type);
  if (!operand || !several) option.expected(1);
  if (several) option.take_all();
  if (parameter.required) option.required();
  if (parameter.kind == ParameterKind::kNumber)
    option.check([low = parameter.low, high = parameter.high](std::string const& word) {
      int64_t number = 0;
      auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      bool right = error == std::errc() && end == word.data() + word.size() && number >= low &&
                   number <= high;
      return right ? std::string()
                   : fmt::format("'{}' is not an integer from {} to {}", word, low, high);
    });
}

void add_command(Command group, Context& context, TargetCommand const& command) {
  auto app = group.add_subcommand(command.name, command.doc);
  auto words = std::make_shared<Words>();
  for (CommandParameter const& parameter : command.parameters)
    add_parameter(app, parameter, (*words)[parameter.name]);
  app.callback([&context, command, words] {
    context.needs_target = false;
    context.run = [&context, command, words] { return run_command(context, command, *words); };
  });
}

void add_groups(Command app, Context& context) {
  for (session::TargetCommandGroup const* row : target_command_table()) {
    auto group = app.add_subcommand(row->name, row->doc);
    group.require_subcommand(1);
    auto table = row->commands();
    std::vector<TargetCommand const*> commands(table.begin(), table.end());
    std::ranges::stable_sort(commands, {}, &TargetCommand::place);
    for (TargetCommand const* command : commands) add_command(group, context, *command);
  }
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 145, .add = add_groups};
  return row;
}

}  // namespace tw::cli::command_of_targets
