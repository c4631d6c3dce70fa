// Why processes: LLVM ends its process when it meets what it cannot compile, by design (its handler
// must not return), or by a crash. A thread that jumps out of the handler leaves LLVM's memory and
// locks as they were, and does not help against crashes, loops without end and exhausted memory. A
// process does, and costs some 0.2 ms a kernel for the module's way there and the object's way
// back.
#include "targets/shared/llvm/generator_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace tw {
namespace {

constexpr int kChildSocket = 3;
constexpr std::chrono::minutes kMostMinutes{5};  // for one kernel: LLVM may not come to an end

/// Its own process group, so that Ctrl-C reaches only us, and no signal blocked. Returns an errno.
int spawn(std::string const& program, int socket, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, socket, kChildSocket);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string words[] = {program, "--fd", std::to_string(kChildSocket)};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

/// How it ended, from what `waitpid` gave.
std::string end_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), sigdescr_np(WTERMSIG(status)));
  return fmt::format("ended with code {}", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

}  // namespace

/// One process and our end of its socket.
class GeneratorProcess {
public:
  static Result<std::unique_ptr<GeneratorProcess>> start(std::string const& program) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return environment_failed("code_generator_missing",
                                fmt::format("no socket for {}: {}", program, std::strerror(errno)));
    pid_t pid = -1;
    int error = spawn(program, ends[1], pid);
    ::close(ends[1]);
    if (error == 0) return std::make_unique<GeneratorProcess>(pid, ends[0]);
    ::close(ends[0]);
    return environment_failed("code_generator_missing",
                              fmt::format("{}, which generates code, cannot be started: {}",
                                          program, std::strerror(error)));
  }

  GeneratorProcess(pid_t pid, int socket) : pid_(pid), socket_(socket) {}
  GeneratorProcess(GeneratorProcess const&) = delete;
  GeneratorProcess& operator=(GeneratorProcess const&) = delete;
  ~GeneratorProcess() {
    ::close(socket_);
    if (pid_ > 0) end();
  }

  /// It may have been ended while it waited.
  bool is_there() const {
    pollfd look{socket_, POLLIN, 0};
    return ::poll(&look, 1, 0) == 0;
  }

  bool send(std::string const& bytes) { return send_bytes(socket_, bytes); }
  Received receive(std::string& bytes) { return receive_bytes(socket_, bytes, kMostMinutes); }

  /// From any thread: whoever waits for an answer is told that there comes none.
  void interrupt() { ::shutdown(socket_, SHUT_RDWR); }

  /// Waits for one that is gone, or ends it. Returns what `waitpid` gave.
  int end(bool is_gone = false) {
    int status = 0;
    if (!is_gone) ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

private:
  pid_t pid_;
  int socket_;
};

GeneratorPool::GeneratorPool(std::string program) : program_(std::move(program)) {}
GeneratorPool::~GeneratorPool() = default;

Result<std::unique_ptr<GeneratorProcess>> GeneratorPool::take() {
  std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    std::unique_ptr<GeneratorProcess> process = std::move(idle_.back());
    idle_.pop_back();
    if (process->is_there()) return process;
  }
  return GeneratorProcess::start(program_);
}

Result<Emitted> GeneratorPool::generate(GeneratorRequest const& request, StopToken stop) {
  TRY_ASSIGN(std::unique_ptr<GeneratorProcess> process, take());
  auto failed = [](std::string const& how) {
    return refused("code_generation_failed", "LLVM cannot compile the kernel: its process " + how);
  };
  std::string bytes;
  Received received = Received::kGone;
  {
    std::stop_callback on_stop(stop, [&] { process->interrupt(); });
    if (process->send(request.to_bytes())) received = process->receive(bytes);
  }
  if (stop.stop_requested()) return refused("cancelled", "cancelled");
  if (received == Received::kLate)
    return failed(fmt::format("has not answered for {} minutes", kMostMinutes.count()));
  if (received == Received::kGone) return failed(end_of(process->end(true)));
  std::optional<Result<Emitted>> reply = reply_from_bytes(bytes);
  if (!reply) return failed("gave an answer that makes no sense");
  // After a refusal it may be about to end, or be in a state that nobody foresaw.
  if (*reply) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(process));
  }
  return std::move(*reply);
}

}  // namespace tw
