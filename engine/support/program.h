/// The running program, and what lies beside it.
#pragma once

#include <filesystem>
#include <string>

namespace tw {

/// The folder of the running program, links followed; empty where the system does not say.
std::filesystem::path program_folder();

/// The file `name` in that folder, whether it is there or not.
std::filesystem::path program_beside(std::string const& name);

}  // namespace tw
