#include "engine/device/device_process.h"

#include <sys/wait.h>

#include <utility>

namespace tw {

Result<ChildProcess> start_device_process(std::vector<std::string> command,
                                          std::vector<std::string> const* environment) {
  Result<ChildProcess> process = ChildProcess::start(std::move(command), environment);
  if (process) return process;
  return environment_failed("device_unavailable", "the device program " + process.error().message);
}

ConnectionEnd describe_end(int status) {
  ConnectionEnd end;
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  return end;
}

}  // namespace tw
