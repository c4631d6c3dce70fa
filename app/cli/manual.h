/// Manual pages and completion scripts, made of the commands as they are declared.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tw::cli {

/// The page of `app`, of section 1, for man(1): tw's own lists all commands, a command's its
/// options and those of the commands below it.
std::string manual_page(CLI::App const& app, std::string const& version);

std::string bash_completion(CLI::App const& app);
std::string zsh_completion(CLI::App const& app);
std::string fish_completion(CLI::App const& app);

}  // namespace tw::cli
