/// This machine as a device: a child process that runs the kernels, restarted when it is lost.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <memory>

#include "engine/device/wire_device.h"

namespace tw {

struct LocalDeviceOptions {
  /// The program tw-device; empty: next to the program that runs now.
  std::filesystem::path program;
  std::string target;  ///< as which kind; empty: the first that the program finds here
};

class LocalDevice final : public WireDevice {
public:
  /// Starts nothing: the child comes with the first call that needs it.
  explicit LocalDevice(LocalDeviceOptions options);

  /// The child's process id, or -1 when none was started.
  pid_t child() const { return *child_; }

private:
  using Child = std::shared_ptr<std::atomic<pid_t>>;
  LocalDevice(LocalDeviceOptions options, Child child);
  Child child_;
};

}  // namespace tw
