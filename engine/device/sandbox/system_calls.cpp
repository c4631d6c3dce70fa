#include "engine/device/sandbox/system_calls.h"

#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <initializer_list>
#include <span>

#include "engine/device/sandbox/file_facts.h"

namespace tw {
namespace {

// Its check for leaks at a process's end takes calls that a kernel has no use for.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kFilters = false;
#else
constexpr bool kFilters = true;
#endif

/// Whatever their arguments are. What a system does not have is left out by the library.
constexpr int kAllowed[] = {
    // memory
    SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(mremap), SCMP_SYS(brk),
    // what is open: libraries, the machine's load
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev),
    SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(close), SCMP_SYS(poll), SCMP_SYS(ppoll),
    // threads
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(set_tid_address),
    SCMP_SYS(membarrier), SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(getcpu), SCMP_SYS(exit), SCMP_SYS(exit_group),
    SCMP_SYS(arch_prctl),  // large registers are asked for with it
    // signals to itself
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(pause), SCMP_SYS(restart_syscall),
    // time and the machine
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(getrandom), SCMP_SYS(getrusage),
    SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrlimit)};

/// What a driver needs besides: found by looking at what PoCL and its linker call, and at what
/// NVIDIA's driver is known to.
constexpr int kAllowedToDrivers[] = {
    // files, where Landlock says which
    SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
    SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs),
    SCMP_SYS(fstatfs), SCMP_SYS(fstat64), SCMP_SYS(fstatat64), SCMP_SYS(readlink),
    SCMP_SYS(readlinkat), SCMP_SYS(getdents), SCMP_SYS(getdents64), SCMP_SYS(getcwd),
    SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(rmdir), SCMP_SYS(rename), SCMP_SYS(renameat),
    SCMP_SYS(renameat2), SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(ftruncate),
    SCMP_SYS(fallocate), SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(pwrite64), SCMP_SYS(dup),
    SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(umask), SCMP_SYS(fadvise64), SCMP_SYS(pipe),
    SCMP_SYS(pipe2), SCMP_SYS(eventfd2), SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(select), SCMP_SYS(pselect6),
    // memory
    SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(msync), SCMP_SYS(mincore), SCMP_SYS(mlock),
    SCMP_SYS(munlock), SCMP_SYS(mbind), SCMP_SYS(get_mempolicy), SCMP_SYS(set_mempolicy),
    // its linker
    SCMP_SYS(execve), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(wait4), SCMP_SYS(waitid),
    SCMP_SYS(getppid), SCMP_SYS(getpgrp), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
    SCMP_SYS(getegid), SCMP_SYS(getresuid), SCMP_SYS(getresgid), SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(sched_get_priority_max), SCMP_SYS(times)};

constexpr uint64_t kNameSpaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

using Filter = scmp_filter_ctx;
using Conditions = std::initializer_list<scmp_arg_cmp>;

scmp_arg_cmp equals(unsigned argument, uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp masked(unsigned argument, uint64_t mask, uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

bool allow(Filter filter, int call, Conditions conditions = {}) {
  return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, unsigned(conditions.size()),
                                conditions.begin()) == 0;
}

bool allow_each(Filter filter, std::span<int const> calls) {
  return std::ranges::all_of(calls, [&](int call) { return allow(filter, call); });
}

/// The arguments of clone3 lie in memory, where no filter sees them: "not there" makes the C
/// library take clone.
bool refuse_clone3(Filter filter) {
  return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
}

/// A thread of this process, in no name space of its own, and with no open files of its own: what
/// lies in files of memory is counted by the process's table of them.
bool allow_threads(Filter filter) {
  constexpr uint64_t kThread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | CLONE_FILES;
  constexpr uint64_t kOther = kNameSpaces | CLONE_PTRACE | CLONE_VFORK;
  return allow(filter, SCMP_SYS(clone), {masked(0, kThread | kOther, kThread)}) &&
         refuse_clone3(filter);
}

/// To read only: files of memory are written where they were made.
bool allow_opening(Filter filter) {
  constexpr uint64_t kMore = O_ACCMODE | O_CREAT | O_TRUNC | O_PATH | (O_TMPFILE & ~O_DIRECTORY);
  return allow(filter, SCMP_SYS(openat), {masked(2, kMore, O_RDONLY)}) &&
         allow(filter, SCMP_SYS(open), {masked(1, kMore, O_RDONLY)});
}

/// What a process does to itself, and what it says over its socket.
bool allow_own(Filter filter, int socket) {
  return allow_each(filter, kAllowed) &&
         allow(filter, SCMP_SYS(recvfrom), {equals(0, uint64_t(socket))}) &&
         allow(filter, SCMP_SYS(sendto), {equals(0, uint64_t(socket))}) &&
         allow(filter, SCMP_SYS(tgkill), {equals(0, uint64_t(getpid()))}) &&
         allow(filter, SCMP_SYS(sched_setaffinity), {equals(0, 0)}) &&
         // To ask for an own limit, not to set one.
         allow(filter, SCMP_SYS(prlimit64), {equals(0, 0), equals(2, 0)});
}

/// To speak to the process that owns the driver, to end it and to ask how it ended.
bool allow_driver(Filter filter, Partners const& partners) {
  if (partners.driver_socket < 0) return true;
  auto socket = uint64_t(partners.driver_socket), driver = uint64_t(partners.driver);
  return allow(filter, SCMP_SYS(recvfrom), {equals(0, socket)}) &&
         allow(filter, SCMP_SYS(sendto), {equals(0, socket)}) &&
         allow(filter, SCMP_SYS(kill), {equals(0, driver)}) &&
         allow(filter, SCMP_SYS(wait4), {equals(0, driver)});
}

bool allow_kernels(Filter filter, Partners const& partners) {
  constexpr uint64_t kMapping = MAP_TYPE | MAP_HUGETLB | MAP_LOCKED;
  return allow_own(filter, partners.socket) && allow_driver(filter, partners) &&
         allow(filter, SCMP_SYS(memfd_create)) && allow_threads(filter) && allow_opening(filter) &&
         answer_facts_of_open_files(filter) &&
         allow(filter, SCMP_SYS(mmap), {masked(3, kMapping, MAP_PRIVATE)});
}

/// But for those that say who gets signals of a file.
bool allow_file_control(Filter filter) {
  return std::ranges::all_of(
      std::array{F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK,
                 F_SETLKW, F_ADD_SEALS, F_GET_SEALS},
      [&](int order) {
        return allow(filter, SCMP_SYS(fcntl), {equals(1, uint64_t(order))}) &&
               allow(filter, SCMP_SYS(fcntl64), {equals(1, uint64_t(order))});
      });
}

/// Orders to devices, whose numbers only their drivers know; none to sockets, by which signals go
/// to others: a rule for each bit of an order's kind (linux/ioctl.h) in which it may differ.
bool allow_orders(Filter filter) {
  constexpr uint64_t kSockets = 0x89, kKind = 0xFF;
  for (int bit = 0; bit < 8; ++bit) {
    uint64_t above = (kKind << bit) & kKind, other = (kSockets ^ (uint64_t(1) << bit)) & above;
    if (!allow(filter, SCMP_SYS(ioctl),
               {masked(1, above << _IOC_TYPESHIFT, other << _IOC_TYPESHIFT)}))
      return false;
  }
  return true;
}

bool allow_drivers(Filter filter, int socket) {
  return allow_own(filter, socket) && allow_each(filter, kAllowedToDrivers) &&
         allow_file_control(filter) && allow_orders(filter) &&
         allow(filter, SCMP_SYS(clone), {masked(0, kNameSpaces | CLONE_PTRACE, 0)}) &&
         refuse_clone3(filter) &&
         // Threads get names.
         allow(filter, SCMP_SYS(prctl), {equals(0, PR_SET_NAME)}) &&
         allow(filter, SCMP_SYS(prctl), {equals(0, PR_GET_NAME)});
}

/// `add_rules`: to a filter that refuses all.
bool load_filter(std::function<bool(Filter)> const& add_rules) {
  Filter filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == nullptr) return errno = ENOMEM, false;
  // Calls by another table of the system are no mistake: the whole process goes.
  bool made = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
              add_rules(filter);
  int error = made ? -seccomp_load(filter) : EINVAL;
  seccomp_release(filter);
  errno = error;
  return error == 0;
}

}  // namespace

bool can_filter_system_calls() {
  uint32_t action = SECCOMP_RET_ERRNO;
  return kFilters && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

char const* why_not_filtered() {
  return kFilters ? "the system has no filter of system calls (seccomp)"
                  : "this is a developer build";
}

bool filter_system_calls(Partners const& partners) {
  return load_filter([&](Filter filter) { return allow_kernels(filter, partners); });
}

bool filter_driver_calls(int socket) {
  return load_filter([&](Filter filter) { return allow_drivers(filter, socket); });
}

}  // namespace tw
