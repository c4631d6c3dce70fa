/// Commands and options that had another name: who writes the old one, in a script of years ago,
/// gets what it meant.
#pragma once

#include <string>
#include <vector>

namespace tw::cli {

/// Replaces former names in the words of a command line; a sentence for each that was replaced.
std::vector<std::string> replace_former_names(std::vector<std::string>& words);

}  // namespace tw::cli
