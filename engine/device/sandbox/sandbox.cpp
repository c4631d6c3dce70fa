#include "engine/device/sandbox/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include "engine/device/sandbox/landlock.h"
#include "engine/device/sandbox/system_calls.h"

namespace tw {
namespace fs = std::filesystem;
namespace {

/// Claimed, not touched: stacks of threads are, and what is freed and not given back. A driver
/// claims what it may map.
constexpr int64_t kClaimed = int64_t(1) << 30, kClaimedByDriver = int64_t(16) << 30;
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
  auto value = rlim_t(std::min<uint64_t>(uint64_t(most), RLIM_INFINITY));  // it may have 32 bits
  rlimit both{value, value};
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

bool limit_all(int64_t memory_bytes) {
  // Private memory is what a kernel can ask for; mapped code does not count.
  return (!kLimitsMemory || limit(RLIMIT_DATA, memory_bytes)) &&
         limit(RLIMIT_FSIZE, kMostFileBytes) && limit(RLIMIT_NOFILE, 1024) &&
         limit(RLIMIT_CORE, 0) && limit(RLIMIT_MSGQUEUE, 0) && limit(RLIMIT_MEMLOCK, 0) &&
         limit(RLIMIT_NPROC, threads_of_the_system() + kMostWorkerThreads);
}

/// All descriptors but 0 to 2 and these. Only what the kernel of an old system does not know stays
/// open.
void close_others(SandboxOptions const& confinement) {
  unsigned first = 3;
  for (int kept : {std::min(confinement.socket, confinement.driver_socket),
                   std::max(confinement.socket, confinement.driver_socket)}) {
    if (kept < int(first)) continue;
    if (kept > int(first)) (void)close_range(first, unsigned(kept) - 1, 0);
    first = unsigned(kept) + 1;
  }
  (void)close_range(first, ~0U, 0);
}

/// What is common to all: limits, then rules for files, then the filter.
Status enter(SandboxOptions const& confinement, int64_t claimed, FileRules const& files,
             std::function<bool()> const& filter) {
  if (chdir(confinement.folder.c_str()) != 0) return failed("it cannot enter its folder");
  // Whoever started this one is gone at once when it is killed; a kernel must not stay.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return failed("it gets no signal when its parent ends");
  close_others(confinement);
  if (!limit_all(confinement.memory_bytes + claimed))
    return failed("a resource limit cannot be set");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return failed("its privileges cannot be dropped");
  if (!mute()) return failed("its output cannot be closed");
  if (can_sandbox_files() && !sandbox_files(files))
    return failed("the rules for file access cannot be set");
  if (can_filter_system_calls() && !filter())
    return failed("the filter of system calls cannot be set");
  return {};
}

/// What a device tells of its machine.
std::vector<std::string> facts_of_the_machine() { return {"/proc/uptime", "/proc/loadavg"}; }

/// With all names in its folder for one that ends with a star.
std::vector<std::string> expanded(std::vector<std::string> const& paths) {
  std::vector<std::string> all;
  for (std::string const& path : paths) {
    if (!path.ends_with('*')) {
      all.push_back(path);
      continue;
    }
    fs::path begin(path.substr(0, path.size() - 1));
    std::error_code error;
    for (fs::directory_iterator entry(begin.parent_path(), error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().string().starts_with(begin.string())) all.push_back(entry->path());
  }
  return all;
}

/// Where this process was told that libraries are.
std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  char const* given = std::getenv("LD_LIBRARY_PATH");
  std::istringstream words(given ? given : "");
  for (std::string folder; std::getline(words, folder, ':');)
    if (folder.starts_with('/')) folders.push_back(folder);
  return folders;
}

FileRules rules_of(SandboxOptions const& confinement, DriverProfile const& profile) {
  FileRules rules{.readable = expanded(profile.reads),
                  .programs = expanded(profile.programs),
                  .writable = {confinement.folder.string()},
                  .devices = expanded(profile.devices)};
  for (auto const& more : {facts_of_the_machine(), library_folders()})
    rules.readable.insert(rules.readable.end(), more.begin(), more.end());
  for (char const* device : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"})
    rules.devices.emplace_back(device);
  return rules;
}

}  // namespace

Status enter_sandbox(SandboxOptions const& confinement) {
  FileRules files{.readable = facts_of_the_machine()};
  files.signals = confinement.driver > 0;  // it ends that one
  Partners partners{confinement.socket, confinement.driver_socket, confinement.driver};
  return enter(confinement, kClaimed, files, [&] { return filter_system_calls(partners); });
}

Status enter_driver_sandbox(SandboxOptions const& confinement, DriverProfile const& profile) {
  return enter(confinement, kClaimedByDriver, rules_of(confinement, profile),
               [&] { return filter_driver_calls(confinement.socket); });
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

std::vector<std::string> open_ways(DriverProfile const& profile) {
  std::vector<std::string> ways = open_ways();
  if (!can_sandbox_files() && can_filter_system_calls())
    ways.push_back(
        "writing the files that this user can write and starting programs, where a driver may: the "
        "system has no Landlock");
  ways.insert(ways.end(), profile.open_ways.begin(), profile.open_ways.end());
  return ways;
}

}  // namespace tw
