/// Where the program is that generates code.
#pragma once

#include <string>

namespace tw {

/// The path of tw-codegen: beside the running program, or, for programs of the build's other
/// folders, in its folder of programs.
std::string code_generator_program();

}  // namespace tw
