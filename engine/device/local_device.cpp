#include "engine/device/local_device.h"

#include <sys/wait.h>

#include <utility>

#include "engine/device/device_process.h"
#include "engine/support/program.h"

namespace tw {
namespace {

std::vector<std::string> command_of(LocalDeviceOptions const& options) {
  std::filesystem::path program =
      options.program.empty() ? program_beside("tw-device") : options.program;
  if (options.target.empty()) return {program.string()};
  return {program.string(), "--target", options.target};
}

class ChildLine final : public Connection {
public:
  explicit ChildLine(ChildProcess child) : child_(std::move(child)) {}
  int socket() const override { return child_.socket(); }
  bool open() override { return child_.running(); }
  void cut() override { child_.end(); }
  ConnectionEnd wait_for_end() override { return describe_end(child_.wait_for_end()); }

private:
  ChildProcess child_;
};

}  // namespace

LocalDevice::LocalDevice(LocalDeviceOptions options)
    : LocalDevice(std::move(options), std::make_shared<std::atomic<pid_t>>(-1)) {}

LocalDevice::LocalDevice(LocalDeviceOptions options, Child child)
    : WireDevice(
          [command = command_of(options),
           child](CallOptions const&) -> Result<std::unique_ptr<Connection>> {
            TRY_ASSIGN(ChildProcess started, start_device_process(command));
            *child = started.pid();
            return std::make_unique<ChildLine>(std::move(started));
          },
          std::chrono::milliseconds(200)),
      child_(std::move(child)) {}

}  // namespace tw
