/// Elements that a person gives in files, by the name of what they are for.
#pragma once

#include "app/cli/output.h"

namespace tw::cli {

/// --input NAME=FILE, as often as there are inputs.
void add_input_option(Command command, std::vector<std::string>& given,
                      std::string const& description);
/// The files by name. `whose`: "the model". Errors: bad_input_option, unknown_input.
Result<std::map<std::string, std::string>> named_files(
    std::vector<std::string> const& given, std::vector<session::ModelTensor> const& infos,
    std::string const& whose);

}  // namespace tw::cli
