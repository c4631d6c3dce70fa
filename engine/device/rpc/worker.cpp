#include "engine/device/rpc/worker.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "engine/device/channel.h"
#include "engine/device/hardware_text.h"
#include "engine/device/rpc_session.h"

namespace tw {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::string_view kPrefix = "tilewright-device-";

/// What a worker and its launcher need; the rest is the business of whoever serves.
std::vector<std::string> plain_environment(std::vector<std::string> names) {
  for (char const* name : {"PATH", "LD_LIBRARY_PATH", "QEMU_LD_PREFIX", "ASAN_OPTIONS",
                           "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"})
    names.emplace_back(name);
  std::vector<std::string> plain;
  for (std::string const& name : names)
    if (char const* value = std::getenv(name.c_str())) plain.push_back(name + "=" + value);
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
  Result<ChildProcess> process =
      watch.start(std::move(command), plain_environment(options.environment), pattern);
  if (process) return Worker(std::move(*process), pattern, watch);
  fs::remove_all(pattern, error);
  return std::unexpected(process.error());
}

Result<Hardware> ask_worker(RpcServerOptions const& options) {
  WorkerWatch watch(options.limits);
  TRY_ASSIGN(Worker worker, Worker::start(options, watch));
  int socket = worker.process().socket();
  wire::Request request;
  request.mutable_describe();
  WaitLimit limit{.deadline = std::chrono::steady_clock::now() + kPatience};
  Status sent = send_frame(socket, FrameKind::kMessage, request.SerializeAsString(), limit);
  Result<Frame> frame = sent ? receive_frame(socket, limit) : std::unexpected(sent.error());
  wire::Response answer;
  if (!frame || !answer.ParseFromString(frame->bytes)) {
    std::string limit_of_it = worker.broken_limit();
    return environment_failed(
        "device_unavailable",
        "the driver's process does not answer" + (limit_of_it.empty() ? "" : ": " + limit_of_it));
  }
  if (answer.has_failure()) return failure_of(answer);
  return parse_hardware(answer.hardware());
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
