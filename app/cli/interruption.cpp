#include "app/cli/interruption.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace tw::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> writing_end = -1;  // all that a handler may use

/// Little may be called in a handler: the number goes to a thread.
void tell(int signal) {
  int before = errno;
  auto number = static_cast<unsigned char>(signal);
  (void)!::write(writing_end, &number, 1);
  errno = before;
}

}  // namespace

Interruption::Interruption() {
  if (::pipe2(ends_, O_CLOEXEC) != 0) return;  // then a signal ends the program at once
  writing_end = ends_[1];
  watcher_ = std::thread([this] { watch(); });
  struct sigaction action {
  }, old{};
  action.sa_handler = tell;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  // What is ignored stays so: nohup.
  for (int signal : kSignals)
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
}

Interruption::~Interruption() {
  if (!watcher_.joinable()) return;
  struct sigaction old {};
  for (int signal : kSignals)
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == tell)
      ::signal(signal, SIG_DFL);
  writing_end = -1;
  ::close(ends_[1]);
  watcher_.join();
  ::close(ends_[0]);
}

void Interruption::watch() {
  unsigned char number = 0;
  while (::read(ends_[0], &number, 1) == 1) {
    signal_ = number;
    source_.request_stop();
  }
}

void Interruption::pass_on() const {
  ::signal(signal_, SIG_DFL);
  ::raise(signal_);
  std::_Exit(128 + signal_);
}

}  // namespace tw::cli
