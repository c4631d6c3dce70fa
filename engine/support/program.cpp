#include "engine/support/program.h"

namespace tw {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

fs::path program_beside(std::string const& name) { return program_folder() / name; }

}  // namespace tw
