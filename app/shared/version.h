/// Which Tilewright this is.
#pragma once

#include <string>

namespace tw {

/// "0.9.0"
std::string version_number();
/// "tw 0.9.0 (commit 7f2d774e1c)"; without the commit where it was built outside of a repository.
std::string version_line(std::string const& program);

}  // namespace tw
