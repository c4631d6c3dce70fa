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

/// What a worker and its launcher need; the rest is the business of whoever serves.
std::vector<std::string> plain_environment() {
  std::vector<std::string> plain;
  for (char const* name : {"PATH", "LD_LIBRARY_PATH", "QEMU_LD_PREFIX", "ASAN_OPTIONS",
                           "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"})
    if (char const* value = std::getenv(name)) plain.push_back(std::string(name) + "=" + value);
  return plain;
}

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

Result<Worker> Worker::start(RpcServerOptions const& options, WorkerWatch& watch) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) /
                         (std::string(kPrefix) + std::to_string(getpid()) + "-XXXXXX"))
                            .string();
  if (error || mkdtemp(pattern.data()) == nullptr)
    return environment_failed("device_unavailable", "no folder for a worker can be created");
  std::vector<std::string> command = options.worker;
  command.insert(command.end(),
                 {"--folder", pattern, "--memory-bytes", std::to_string(options.memory_bytes)});
  Result<ChildProcess> process = watch.start(std::move(command), plain_environment(), pattern);
  if (process) return Worker(std::move(*process), pattern, watch);
  fs::remove_all(pattern, error);
  return std::unexpected(process.error());
}

Worker::Worker(Worker&& other) noexcept
    : watch_(other.watch_),
      process_(std::move(other.process_)),
      folder_(std::exchange(other.folder_, {})) {}

Worker::~Worker() {
  if (folder_.empty()) return;
  pid_t pid = process_.pid();
  process_.end();
  watch_->forget(pid);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace tw
