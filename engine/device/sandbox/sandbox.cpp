#include "engine/device/sandbox/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "engine/device/sandbox/landlock.h"
#include "engine/device/sandbox/system_calls.h"

namespace tw {
namespace {

/// Claimed, not touched: stacks of threads are, and what is freed and not given back.
constexpr int64_t kClaimed = int64_t(1) << 30;
/// A library of kernels lies in a file of memory. No message holds a larger one.
constexpr int64_t kMostFileBytes = 32 << 20;

// The shadow of a sanitizer is private memory, larger than any share.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

Status failed(char const* what) {
  return environment_failed("not_confined", std::string("the worker cannot be confined: ") + what +
                                                ": " + std::strerror(errno));
}

bool limit(int resource, int64_t most) {
  rlimit both{rlim_t(most), rlim_t(most)};
  return setrlimit(__rlimit_resource_t(resource), &both) == 0;
}

/// Threads of everybody, so that the limit, which counts those of this user everywhere, leaves
/// this process its own.
int64_t threads_of_the_system() {
  std::ifstream file("/proc/loadavg");
  std::string word;
  for (int i = 0; i < 4; ++i) file >> word;
  size_t slash = word.find('/');
  return slash == std::string::npos ? 100'000 : std::strtoll(word.c_str() + slash + 1, nullptr, 10);
}

/// What a kernel would write to standard error goes to the terminal of whoever serves.
bool mute() {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  bool done = nothing >= 0;
  for (int i = 0; i <= 2 && done; ++i) done = dup2(nothing, i) == i;
  if (nothing > 2) close(nothing);
  return done;
}

bool limit_all(SandboxOptions const& confinement) {
  // Private memory is what a kernel can ask for; mapped code does not count.
  return (!kLimitsMemory || limit(RLIMIT_DATA, confinement.memory_bytes + kClaimed)) &&
         limit(RLIMIT_FSIZE, kMostFileBytes) && limit(RLIMIT_NOFILE, 1024) &&
         limit(RLIMIT_CORE, 0) && limit(RLIMIT_MSGQUEUE, 0) && limit(RLIMIT_MEMLOCK, 0) &&
         limit(RLIMIT_NPROC, threads_of_the_system() + kMostWorkerThreads);
}

}  // namespace

Status enter_sandbox(SandboxOptions const& confinement) {
  if (chdir(confinement.folder.c_str()) != 0) return failed("it cannot enter its folder");
  // Whoever started this one is gone at once when it is killed; a kernel must not stay.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return failed("it gets no signal when its parent ends");
  // Only what the kernel of an old system does not know stays open.
  (void)close_range(3, unsigned(confinement.socket) - 1, 0);
  (void)close_range(unsigned(confinement.socket) + 1, ~0U, 0);
  if (!limit_all(confinement)) return failed("a resource limit cannot be set");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return failed("its privileges cannot be dropped");
  if (!mute()) return failed("its output cannot be closed");
  if (can_sandbox_files() && !sandbox_files())
    return failed("the rules for file access cannot be set");
  if (can_filter_system_calls() && !filter_system_calls(confinement.socket))
    return failed("the filter of system calls cannot be set");
  return {};
}

std::vector<std::string> open_ways() {
  std::vector<std::string> ways;
  bool files = can_sandbox_files(), filtered = can_filter_system_calls();
  if (!files)
    ways.push_back("reading the files that this user can read: the system has no Landlock");
  if (!files && !filtered)
    ways.push_back(
        "writing the files that this user can write: the system has neither Landlock nor a filter "
        "of system calls (seccomp)");
  if (!filtered) {
    ways.push_back(std::string("processes, sockets, signals and shared memory: ") +
                   why_not_filtered());
    ways.push_back("reading names, sizes and times of files");
  }
  if (!kLimitsMemory) ways.push_back("memory beyond its share: this is a developer build");
  return ways;
}

}  // namespace tw
