#include "engine/device/rpc/worker.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace tw {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "tilewright-device-";

}  // namespace

void remove_abandoned_folders() {
  std::error_code error;
  for (auto const& entry : fs::directory_iterator(fs::temp_directory_path(error), error)) {
    std::string name = entry.path().filename().string();
    int server = 0;
    if (!name.starts_with(kPrefix)) continue;
    auto [end, bad] =
        std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), server);
    bool gone = bad == std::errc() && server > 0 && kill(server, 0) != 0 && errno == ESRCH;
    if (gone && !entry.is_symlink(error)) fs::remove_all(entry.path(), error);
  }
}

Result<Worker> Worker::start(RpcServerOptions const& options) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) /
                         (std::string(kPrefix) + std::to_string(getpid()) + "-XXXXXX"))
                            .string();
  if (error || mkdtemp(pattern.data()) == nullptr)
    return environment_failed("device_unavailable", "no folder for a worker can be made");
  std::vector<std::string> command = options.worker;
  command.insert(command.end(),
                 {"--folder", pattern, "--memory-bytes", std::to_string(options.memory_bytes)});
  Result<ChildProcess> process = ChildProcess::start(std::move(command));
  if (process) return Worker(std::move(*process), pattern);
  fs::remove_all(pattern, error);
  return std::unexpected(process.error());
}

Worker::Worker(Worker&& other) noexcept
    : process_(std::move(other.process_)), folder_(std::exchange(other.folder_, {})) {}

Worker::~Worker() {
  if (folder_.empty()) return;
  process_.end();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace tw
