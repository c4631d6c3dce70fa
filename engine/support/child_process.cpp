#include "engine/support/child_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

extern char** environ;

namespace tw {
namespace {

constexpr int kChildSocket = 3;

/// Starts the command with `socket` as its descriptor 3 and none after it, its own process group
/// (so that Ctrl-C reaches only us) and no signal blocked or ignored. Returns an errno.
int spawn(std::vector<std::string> command, std::vector<std::string> const* environment, int socket,
          pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, socket, kChildSocket);
  // A library may just have opened a pipe in another thread, and wait for its end for ever where a
  // child holds it, too: D-Bus's does while the window opens.
  posix_spawn_file_actions_addclosefrom_np(&actions, kChildSocket + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  command.insert(command.end(), {"--fd", std::to_string(kChildSocket)});
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> variables;
  if (environment)
    for (std::string const& variable : *environment)
      variables.push_back(const_cast<char*>(variable.c_str()));
  variables.push_back(nullptr);
  int error = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(),
                           environment ? variables.data() : environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

std::string signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGILL:
      return "illegal instruction";
    case SIGFPE:
      return "arithmetic exception";
    case SIGTRAP:
      return "trap";
    case SIGABRT:
      return "abort";
    case SIGSYS:
      return "forbidden system call";
    case SIGKILL:
      return "kill signal";
    default:
      return "signal " + std::to_string(signal);
  }
}

Result<ChildProcess> ChildProcess::start(std::vector<std::string> command,
                                         std::vector<std::string> const* environment) {
  std::string program = command.at(0);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return environment_failed("process_unavailable", "no socket can be created for " + program +
                                                         ": " + std::strerror(errno));
  pid_t pid = -1;
  int error = spawn(std::move(command), environment, ends[1], pid);
  close(ends[1]);
  if (error == 0) return ChildProcess(pid, ends[0]);
  close(ends[0]);
  return environment_failed("process_unavailable",
                            program + " cannot be started: " + std::strerror(error));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      status_(other.status_),
      ended_(other.ended_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(socket_, other.socket_);
  std::swap(status_, other.status_);
  std::swap(ended_, other.ended_);
  return *this;
}

ChildProcess::~ChildProcess() {
  close_socket();
  if (pid_ > 0) wait_for_end();
}

void ChildProcess::close_socket() {
  if (socket_ >= 0) close(std::exchange(socket_, -1));
}

bool ChildProcess::reap(int flags) {
  if (ended_) return true;
  pid_t result = 0;
  do {
    result = waitpid(pid_, &status_, flags);
  } while (result < 0 && errno == EINTR);
  ended_ = result != 0;  // an error too: then somebody else waited for it
  return ended_;
}

bool ChildProcess::running() { return pid_ > 0 && !reap(WNOHANG); }

int ChildProcess::end() {
  if (!reap(WNOHANG)) {
    kill(pid_, SIGKILL);
    reap(0);
  }
  return status_;
}

int ChildProcess::wait_for_end() {
  using namespace std::chrono_literals;
  for (int i = 0; i < 100 && !reap(WNOHANG); ++i) std::this_thread::sleep_for(2ms);
  return end();
}

}  // namespace tw
