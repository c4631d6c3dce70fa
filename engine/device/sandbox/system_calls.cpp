#include "engine/device/sandbox/system_calls.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

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
    SCMP_SYS(memfd_create), SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write),
    SCMP_SYS(writev), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(close), SCMP_SYS(poll),
    SCMP_SYS(ppoll),
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

/// A thread of this process, in no name space of its own, and with no open files of its own: what
/// lies in files of memory is counted by the process's table of them.
bool allow_threads(Filter filter) {
  constexpr uint64_t kThread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | CLONE_FILES;
  constexpr uint64_t kOther = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                              CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_PTRACE |
                              CLONE_VFORK;
  // The arguments of clone3 lie in memory, where no filter sees them: "not there" makes the C
  // library take clone.
  return allow(filter, SCMP_SYS(clone), {masked(0, kThread | kOther, kThread)}) &&
         seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
}

/// To read only: files of memory are written where they were made.
bool allow_opening(Filter filter) {
  constexpr uint64_t kMore = O_ACCMODE | O_CREAT | O_TRUNC | O_PATH | (O_TMPFILE & ~O_DIRECTORY);
  return allow(filter, SCMP_SYS(openat), {masked(2, kMore, O_RDONLY)}) &&
         allow(filter, SCMP_SYS(open), {masked(1, kMore, O_RDONLY)});
}

bool allow_all(Filter filter, int socket) {
  for (int call : kAllowed)
    if (!allow(filter, call)) return false;
  constexpr uint64_t kMapping = MAP_TYPE | MAP_HUGETLB | MAP_LOCKED;
  auto own = uint64_t(getpid());
  return allow_threads(filter) && allow_opening(filter) && answer_facts_of_open_files(filter) &&
         allow(filter, SCMP_SYS(mmap), {masked(3, kMapping, MAP_PRIVATE)}) &&
         allow(filter, SCMP_SYS(recvfrom), {equals(0, uint64_t(socket))}) &&
         allow(filter, SCMP_SYS(sendto), {equals(0, uint64_t(socket))}) &&
         allow(filter, SCMP_SYS(tgkill), {equals(0, own)}) &&
         allow(filter, SCMP_SYS(sched_setaffinity), {equals(0, 0)}) &&
         // To ask for an own limit, not to set one.
         allow(filter, SCMP_SYS(prlimit64), {equals(0, 0), equals(2, 0)});
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

bool filter_system_calls(int socket) {
  Filter filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == nullptr) return errno = ENOMEM, false;
  // Calls by another table of the system are no mistake: the whole process goes.
  bool made = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
              allow_all(filter, socket);
  int error = made ? -seccomp_load(filter) : EINVAL;
  seccomp_release(filter);
  errno = error;
  return error == 0;
}

}  // namespace tw
