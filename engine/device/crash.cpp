#include "engine/device/crash.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "engine/device/channel.h"

namespace tw {
namespace {

// A signal handler has no argument of ours: these are the process's, as the handlers are.
std::atomic<int> crash_socket{-1};
std::atomic<int> running_step{-1};
std::atomic<char const*> running_kernel{nullptr};
std::atomic<bool> reporting{false};
constexpr size_t kMostNameBytes = 256;
alignas(64) char handler_stack[64 << 10];

/// Only calls that are allowed in a signal handler.
void on_fatal_signal(int signal, siginfo_t* info, void*) {
  // Several threads may crash at once: the others wait for the end that the first one brings.
  while (reporting.exchange(true)) pause();
  int step = running_step.load();
  if (step >= 0) {
    char const* kernel = running_kernel.load();
    size_t letters = kernel ? strnlen(kernel, kMostNameBytes) : 0;
    FrameHeader header{.kind = FrameKind::kCrash,
                       .length = uint32_t(sizeof(CrashReport) + letters)};
    CrashReport report{signal, step, reinterpret_cast<uint64_t>(info->si_addr)};
    char bytes[sizeof header + sizeof report + kMostNameBytes];
    std::memcpy(bytes, &header, sizeof header);
    std::memcpy(bytes + sizeof header, &report, sizeof report);
    if (letters > 0) std::memcpy(bytes + sizeof header + sizeof report, kernel, letters);
    (void)!send(crash_socket.load(), bytes, sizeof header + sizeof report + letters, MSG_NOSIGNAL);
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void report_crashes_to(int socket) {
  crash_socket = socket;
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT}) {
    sigaction(signal, &action, nullptr);
  }
}

void note_running_step(int step, char const* kernel) {
  running_kernel.store(kernel, std::memory_order_relaxed);
  running_step.store(step, std::memory_order_relaxed);
}

}  // namespace tw
