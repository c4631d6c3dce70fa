#include "app/cli/manual.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/cli/command_tree.h"
#include "app/cli/output.h"
#include "app/shared/version.h"
#include "engine/support/files.h"

namespace tw::cli::command_manual {
namespace {

/// tw.1 and one page for each command.
Status write_pages(CLI::App const& app, std::string const& folder) {
  TRY(make_folder(folder));
  std::vector<CLI::App const*> commands = commands_of(app);
  commands.insert(commands.begin(), &app);
  for (CLI::App const* command : commands) {
    std::string name = command == &app ? app.get_name() : "tw-" + command->get_name();
    TRY(write_file(fmt::format("{}/{}.1", folder, name), manual_page(*command, version_number())));
  }
  return {};
}

int manual(CLI::App const& app, Context const& context, std::string const& name,
           std::string const& folder) {
  if (!folder.empty()) {
    Status status = write_pages(app, folder);
    return status ? 0 : report(context, status.error());
  }
  for (CLI::App const* command : commands_of(app))
    if (command->get_name() == name)
      return fmt::print("{}", manual_page(*command, version_number())), 0;
  if (name.empty()) return fmt::print("{}", manual_page(app, version_number())), 0;
  return report(context,
                Error{"unknown_command",
                      fmt::format("there is no command '{}'; 'tw --help' lists them", name),
                      {},
                      Fault::kBadInput});
}

int completion(CLI::App const& app, Context const& context, std::string const& shell,
               std::string const& file) {
  std::string text = shell == "bash"  ? bash_completion(app)
                     : shell == "zsh" ? zsh_completion(app)
                                      : fish_completion(app);
  if (file.empty()) return fmt::print("{}", text), 0;
  Status status = write_output(file, text);
  return status ? 0 : report(context, status.error());
}

void add_manual(Command app, Context& context) {
  auto command =
      app.add_subcommand("manual", "print a command's manual page: tw manual run | man -l -");
  auto name = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  command.add_option("COMMAND", *name, "the command (default: tw itself)");
  command.add_option("--out", *folder, "write all manual pages into this folder").type_name("DIR");
  command.callback([app, &context, name, folder] {
    context.needs_target = false;
    context.run = [app, &context, name, folder] {
      return manual(app.parser(), context, *name, *folder);
    };
  });
}

void add_completion(Command app, Context& context) {
  auto command = app.add_subcommand(
      "completion", "print a completion script for a shell: source <(tw completion bash)");
  auto shell = std::make_shared<std::string>();
  auto file = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      .required()
      .one_of({"bash", "zsh", "fish"});
  command.add_option("--out", *file, "write it to this file").type_name("FILE");
  command.callback([app, &context, shell, file] {
    context.needs_target = false;
    context.run = [app, &context, shell, file] {
      return completion(app.parser(), context, *shell, *file);
    };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 170, .add = [](Command app, Context& context) {
                                add_manual(app, context);
                                add_completion(app, context);
                              }};
  return row;
}

}  // namespace tw::cli::command_manual
