/// Which compiler this is: what may make other code has another version.
#pragma once

#include <string>

namespace tw {

/// "0.9.0", as the project names it where it is built.
extern char const* const kProductVersion;

/// "0.9.0 3f2a...": the product's version and a hash of the compiler's sources.
std::string code_version();

}  // namespace tw
