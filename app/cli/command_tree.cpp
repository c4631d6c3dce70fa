#include "app/cli/command_tree.h"

namespace tw::cli {
namespace {

std::vector<CLI::Option const*> options_where(CLI::App const& app, bool positional) {
  return app.get_options(
      [&](CLI::Option const* option) { return option->get_positional() == positional; });
}

}  // namespace

std::vector<CLI::App const*> commands_of(CLI::App const& app) {
  return app.get_subcommands([](CLI::App const*) { return true; });
}

std::vector<CLI::Option const*> options_of(CLI::App const& app) {
  return options_where(app, false);
}

std::vector<CLI::Option const*> operands_of(CLI::App const& app) {
  return options_where(app, true);
}

CLI::Option const* find_option(CLI::App const& app, std::string const& word) {
  for (CLI::App const* at = &app; at != nullptr; at = at->get_parent())
    for (CLI::Option const* option : options_of(*at))
      if (option->check_name(word)) return option;
  return nullptr;
}

std::vector<std::string> option_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (CLI::App const* at = &app; at != nullptr; at = at->get_parent())
    for (CLI::Option const* option : options_of(*at))
      for (std::string const& name : option->get_lnames())
        if (name != "help" || at == &app) names.push_back("--" + name);
  return names;
}

std::string path_of(CLI::App const& app) {
  return app.get_parent() ? path_of(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string argument_of(CLI::Option const& option) {
  return option.get_items_expected_max() == 0 ? "" : option.get_type_name();
}

void name_no_types_of_operands(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_positional()) option->type_name("");
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    name_no_types_of_operands(*command);
}

std::vector<CLI::App const*> all_commands(CLI::App const& app) {
  std::vector<CLI::App const*> all;
  for (CLI::App const* command : commands_of(app)) {
    all.push_back(command);
    std::vector<CLI::App const*> inner = all_commands(*command);
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

}  // namespace tw::cli
