#include "app/shared/version.h"

#include "app/shared/commit.h"
#include "engine/compile/code_version.h"

namespace tw {

std::string version_number() { return kProductVersion; }

std::string version_line(std::string const& program) {
  std::string commit = TW_COMMIT;
  return program + " " + version_number() + (commit.empty() ? "" : " (commit " + commit + ")");
}

}  // namespace tw
