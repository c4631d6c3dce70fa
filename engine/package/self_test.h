/// Runs an exported folder's own example, in a process that inherits nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "engine/runtime/package/description.h"
#include "engine/support/base/job.h"

namespace tw {

struct SelfTest {
  bool ran = false;
  std::string reason;    ///< why it was not run here
  std::string emulator;  ///< what it ran under, simulators too; empty: this machine alone
  int threads = 1;
  double largest_difference = 0, largest_value = 0;
  double least_ms = 0, median_ms = 0;
};

/// Whether this machine has a device of that target. Errors: what is missing, as the end of a
/// sentence.
using DeviceHere = std::function<Status(std::string const& target)>;

struct SelfTestOptions {
  int threads = 1;
  DeviceHere device_here = {};  ///< null: there are none
  int rounds = 20;
  double most_seconds = 120;
  StopToken stop;
};

/// Accelerators are simulated where they can be. Not run where one has no simulator and is not
/// here, and where this machine cannot run the target's code and no emulator is installed. Errors:
/// self_test_failed with what the example said, cancelled.
Result<SelfTest> run_self_test(std::filesystem::path const& folder,
                               package::Description const& description,
                               SelfTestOptions const& options);

}  // namespace tw
