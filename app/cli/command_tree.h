/// Commands and options as they were declared: the one source of help, manual pages, completion
/// and suggestions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tw::cli {

/// In the order in which they were declared.
std::vector<CLI::App const*> commands_of(CLI::App const& app);
/// Without those of the commands around it, positional ones left out.
std::vector<CLI::Option const*> options_of(CLI::App const& app);
std::vector<CLI::Option const*> operands_of(CLI::App const& app);

/// Of the command or of one around it, by "--name"; null: there is none.
CLI::Option const* find_option(CLI::App const& app, std::string const& word);
/// "--name" of every option that the command takes, those of the commands around it too.
std::vector<std::string> option_names(CLI::App const& app);

/// "tw device serve"
std::string path_of(CLI::App const& app);
/// "NAME=SHAPE"; empty: it takes nothing.
std::string argument_of(CLI::Option const& option);

/// What stands without a name is called by what it is: a type beside it would say less.
void name_no_types_of_operands(CLI::App& app);

/// Every command below, the inner ones after theirs.
std::vector<CLI::App const*> all_commands(CLI::App const& app);

}  // namespace tw::cli
