#include "app/shared/code_generator.h"

#include <filesystem>

namespace tw {

std::string code_generator_program() {
  std::error_code error;
  std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  std::filesystem::path beside = folder / "tw-codegen",
                        built = folder.parent_path() / "bin" / "tw-codegen";
  return (!std::filesystem::exists(beside, error) && std::filesystem::exists(built, error) ? built
                                                                                           : beside)
      .string();
}

}  // namespace tw
