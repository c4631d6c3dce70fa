/// A child process that holds the other end of a socket.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

class ChildProcess {
public:
  /// Starts `command --fd N`: a program, found on the path when it has no slash, and its arguments.
  /// `environment`: "NAME=value" each; null: this process's own. Errors: process_unavailable.
  static Result<ChildProcess> start(std::vector<std::string> command,
                                    std::vector<std::string> const* environment = nullptr);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  /// Closes the socket, which ends the child; kills it when it stays.
  ~ChildProcess();

  int socket() const { return socket_; }
  pid_t pid() const { return pid_; }
  bool running();

  /// Kills the child, if it still runs, and waits for its end. Returns what `waitpid` gave.
  int end();
  /// Waits a moment for a child that is about to end by itself, then as `end`.
  int wait_for_end();

private:
  ChildProcess(pid_t pid, int socket) : pid_(pid), socket_(socket) {}
  bool reap(int flags);
  void close_socket();

  pid_t pid_ = -1;
  int socket_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

/// "segmentation fault", "illegal instruction", ...
std::string signal_name(int signal);

}  // namespace tw
