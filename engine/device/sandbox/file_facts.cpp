#include "engine/device/sandbox/file_facts.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace tw {
namespace {

#if defined(__x86_64__)
greg_t argument(ucontext_t const& context, int i) {
  constexpr int kRegisters[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10};
  return context.uc_mcontext.gregs[kRegisters[i]];
}
void answer(ucontext_t& context, long result) { context.uc_mcontext.gregs[REG_RAX] = result; }
constexpr bool kKnown = true;
#elif defined(__aarch64__)
long argument(ucontext_t const& context, int i) { return long(context.uc_mcontext.regs[i]); }
void answer(ucontext_t& context, long result) { context.uc_mcontext.regs[0] = result; }
constexpr bool kKnown = true;
#else
long argument(ucontext_t const&, int) { return 0; }
void answer(ucontext_t&, long) {}
constexpr bool kKnown = false;
#endif

#ifdef SYS_newfstatat
constexpr long kFactsCall = SYS_newfstatat;
#else
constexpr long kFactsCall = -1;
#endif

/// Only calls that are allowed in a signal handler; errno is whose code was interrupted.
void on_refused_call(int, siginfo_t* info, void* state) {
  auto& context = *static_cast<ucontext_t*>(state);
  int before = errno;
  auto const* path = reinterpret_cast<char const*>(argument(context, 1));
  bool open_file = info->si_syscall == kFactsCall && path != nullptr && *path == 0 &&
                   (argument(context, 3) & AT_EMPTY_PATH) != 0;
  long result = -EPERM;
  if (open_file) {
    result = syscall(SYS_fstat, argument(context, 0), argument(context, 2));
    if (result < 0) result = -errno;
  }
  answer(context, result);
  errno = before;
}

}  // namespace

bool answer_facts_of_open_files(scmp_filter_ctx filter) {
  if (!kKnown) {
    for (int call : {SCMP_SYS(newfstatat), SCMP_SYS(fstat64), SCMP_SYS(fstatat64), SCMP_SYS(statx)})
      if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) != 0) return false;
    return true;
  }
  struct sigaction action {};
  action.sa_sigaction = on_refused_call;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  return sigaction(SIGSYS, &action, nullptr) == 0 &&
         seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(newfstatat), 0) == 0;
}

}  // namespace tw
