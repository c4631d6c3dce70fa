/// What was probably meant by a command or an option that does not exist.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tw::cli {

/// The first word that names no command or option where one is expected, as a sentence that says
/// what is near; empty: all of them are known.
std::optional<std::string> unknown_word(CLI::App const& app, std::vector<std::string> const& words);

/// The nearest few of `known`, as "inspect or export"; empty where none is near.
std::string nearest(std::string const& word, std::vector<std::string> const& known);

}  // namespace tw::cli
