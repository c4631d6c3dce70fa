#include "engine/support/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

extern char** environ;

namespace tw {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostOutput = size_t(64) << 20;

std::unexpected<Error> unavailable(std::string const& program, int code) {
  return environment_failed("process_unavailable", fmt::format("'{}' cannot be started: {}",
                                                               program, std::strerror(code)));
}

struct Pipe {
  int read = -1, write = -1;
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  void close_write() {
    ::close(write);
    write = -1;
  }
};

Result<pid_t> started(std::vector<std::string> const& command, Pipe const& pipe) {
  std::vector<char*> arguments;
  for (std::string const& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.write, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.write, STDERR_FILENO);
  pid_t pid = -1;
  int code = ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return unavailable(command[0], code);
  return pid;
}

/// Until the other end is closed; false: the time is over.
bool read_all(int from, Clock::time_point end, std::string& output) {
  char buffer[1 << 14];
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waits{from, POLLIN, 0};
    int ready = left > 0 ? ::poll(&waits, 1, int(std::min<int64_t>(left, 1 << 30))) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    ssize_t count = ::read(from, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    if (output.size() < kMostOutput) output.append(buffer, size_t(count));
  }
}

}  // namespace

Result<ProgramRun> run_program(std::vector<std::string> const& command,
                               std::chrono::milliseconds limit) {
  Pipe pipe;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return unavailable(command[0], errno);
  pipe.read = ends[0];
  pipe.write = ends[1];
  TRY_ASSIGN(pid_t pid, started(command, pipe));
  pipe.close_write();
  ProgramRun run;
  bool done = read_all(pipe.read, Clock::now() + limit, run.output);
  if (!done) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!done)
    return environment_failed("program_timed_out", fmt::format("'{}' was not done after {} ms",
                                                               command[0], limit.count()));
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

}  // namespace tw
