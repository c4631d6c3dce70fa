#include <fmt/format.h>

#include "app/cli/given_inputs.h"

#include <algorithm>

namespace tw::cli {

void add_input_option(Command command, std::vector<std::string>& given,
                      std::string const& description) {
  command.add_option("--input", given, description).type_name("NAME=FILE").repeatable();
}

Result<std::map<std::string, std::string>> named_files(
    std::vector<std::string> const& given, std::vector<session::ModelTensor> const& infos,
    std::string const& whose) {
  std::map<std::string, std::string> files;
  for (std::string const& one : given) {
    size_t equals = one.rfind('=');
    if (equals == std::string::npos)
      return bad_input("bad_input_option", fmt::format("--input takes NAME=FILE, not '{}'", one));
    std::string name = one.substr(0, equals);
    if (std::ranges::find(infos, name, &session::ModelTensor::name) == infos.end())
      return bad_input("unknown_input", fmt::format("{} has no input '{}'", whose, name));
    files[name] = one.substr(equals + 1);
  }
  return files;
}

}  // namespace tw::cli
