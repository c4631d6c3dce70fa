/// Which compiler this is: what may make other code has another version.
#pragma once

#include <string>

namespace tw {

inline constexpr char kProductVersion[] = "0.1.0";

/// "0.1.0 3f2a...": the product's version and a hash of the compiler's sources.
std::string code_version();

}  // namespace tw
