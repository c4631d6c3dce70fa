/// The process that runs kernels, as a child of this one.
#pragma once

#include "engine/device/connection.h"
#include "engine/support/child_process.h"

namespace tw {

/// As ChildProcess::start. Errors: device_unavailable.
Result<ChildProcess> start_device_process(std::vector<std::string> command,
                                          std::vector<std::string> const* environment = nullptr);

/// What `waitpid` gave, as the end of a line.
ConnectionEnd describe_end(int status);

}  // namespace tw
