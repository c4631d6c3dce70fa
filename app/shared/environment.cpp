#include "app/shared/environment.h"

#include <cstdlib>

#include "engine/device/local_device.h"
#include "engine/hardware/detect.h"
#include "targets/cpu/compiler/cpu_backend.h"

namespace tw {
namespace {

std::filesystem::path cache_folder() {
  if (char const* own = std::getenv("TW_CACHE_DIR"); own && *own) return own;
  if (char const* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
    return std::filesystem::path(xdg) / "tilewright";
  if (char const* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".cache" / "tilewright";
  return std::filesystem::temp_directory_path() / "tilewright";
}

}  // namespace

Result<Environment> make_environment() {
  Environment environment;
  TRY_ASSIGN(environment.backend, create_cpu_backend(detect_host()));
  environment.cache_folder = cache_folder();
  std::error_code ignored;
  std::filesystem::create_directories(environment.cache_folder,
                                      ignored);  // without it nothing is kept
  environment.open_device = []() -> Result<std::unique_ptr<Device>> {
    return std::make_unique<LocalDevice>(LocalDeviceOptions{});
  };
  return environment;
}

}  // namespace tw
