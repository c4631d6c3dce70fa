/// What both programs are built with: the backends, the local device, the folders.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "engine/device/device.h"
#include "engine/support/base/error.h"

namespace tw {

class Backend;

struct Environment {
  std::shared_ptr<Backend const> backend;
  std::filesystem::path device_program;  ///< tw-device, beside the running program
  std::filesystem::path cache_folder;    ///< TW_CACHE_DIR, or XDG's cache folder
  std::function<Result<std::unique_ptr<Device>>()> open_device;
};
Result<Environment> make_environment();

}  // namespace tw
