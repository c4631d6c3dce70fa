/* Other processes, signals, privileges. */
#include <linux/keyctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "hostile.h"

__attribute__((noreturn)) static int stay(void) {
  for (;;) __asm__ volatile("" ::: "memory");
}

ACT(start_a_process) {
  UNUSED;
  pid_t child = fork();
  if (child == 0) stay();
  return outcome(child);
}
ACT(start_a_process_of_its_own_session) {
  UNUSED;
  for (int i = 0; i < 300; ++i) {
    pid_t child = (pid_t)syscall(SYS_fork);
    if (child < 0) return errno;
    if (child > 0) continue;
    setsid();
    if (syscall(SYS_fork) != 0) _exit(0);
    stay();
  }
  return 0;
}
ACT(start_a_process_that_borrows_memory) {
  UNUSED;
  pid_t child = vfork();
  if (child == 0) _exit(0);
  return outcome(child);
}
ACT(start_a_process_by_clone3) {
  UNUSED;
  uint64_t arguments[11];
  memset(arguments, 0, sizeof arguments);
  arguments[4] = SIGCHLD;
  long child = syscall(SYS_clone3, arguments, sizeof arguments);
  if (child == 0) stay();
  return outcome(child);
}
ACT(become_another_program) {
  UNUSED;
  char* const words[] = {"/bin/true", NULL};
  return outcome(execve("/bin/true", words, NULL));
}
ACT(make_a_user_name_space) { return UNUSED, outcome(unshare(CLONE_NEWUSER)); }
ACT(make_a_name_space_with_a_thread) {
  UNUSED;
  return outcome(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}
ACT(make_a_session) { return UNUSED, outcome(setsid()); }

ACT(end_the_server) { return (void)runtime, outcome(kill((pid_t)TOLD->server, SIGKILL)); }
ACT(stop_the_server) { return (void)runtime, outcome(kill((pid_t)TOLD->server, SIGSTOP)); }
ACT(end_a_thread_of_the_server) {
  (void)runtime;
  return outcome(syscall(SYS_tgkill, TOLD->server, TOLD->server, SIGKILL));
}
ACT(end_everything) { return UNUSED, outcome(kill(-1, SIGKILL)); }
ACT(end_the_server_by_descriptor) {
  (void)runtime;
  int server = (int)syscall(SYS_pidfd_open, TOLD->server, 0);
  return server < 0 ? errno : outcome(syscall(SYS_pidfd_send_signal, server, SIGKILL, NULL, 0));
}
ACT(queue_a_signal_to_the_server) {
  (void)runtime;
  union sigval value;
  memset(&value, 0, sizeof value);
  return outcome(sigqueue((pid_t)TOLD->server, SIGTERM, value));
}
ACT(take_the_servers_descriptors) {
  (void)runtime;
  struct rlimit none = {3, 3};
  return outcome(prlimit((pid_t)TOLD->server, RLIMIT_NOFILE, &none, NULL));
}
ACT(take_the_servers_processor_time) {
  (void)runtime;
  struct rlimit none = {1, 1};
  return outcome(prlimit((pid_t)TOLD->server, RLIMIT_CPU, &none, NULL));
}
ACT(raise_its_own_limits) {
  UNUSED;
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  return outcome(setrlimit(RLIMIT_DATA, &all));
}
ACT(slow_the_server_down) {
  return (void)runtime, outcome(setpriority(PRIO_PROCESS, (id_t)TOLD->server, 19));
}
ACT(move_the_server_to_one_core) {
  (void)runtime;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  return outcome(sched_setaffinity((pid_t)TOLD->server, sizeof one, &one));
}
ACT(trace_the_server) {
  return (void)runtime, outcome(ptrace(PTRACE_SEIZE, (pid_t)TOLD->server, NULL, NULL));
}
ACT(read_the_server_from_afar) {
  (void)runtime;
  char byte;
  struct iovec own = {&byte, 1}, far = {(void*)0x400000, 1};
  return outcome(process_vm_readv((pid_t)TOLD->server, &own, 1, &far, 1, 0));
}
ACT(be_dumped_or_not) { return UNUSED, outcome(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }
ACT(outlive_the_server) { return UNUSED, outcome(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }
ACT(keep_a_key) {
  return UNUSED, outcome(syscall(SYS_add_key, "user", "tw", "x", 1, KEY_SPEC_USER_KEYRING));
}
ACT(load_a_program_into_the_system) { return UNUSED, outcome(syscall(SYS_bpf, 0, NULL, 0)); }
ACT(count_events_of_the_system) {
  UNUSED;
  char room[128];
  memset(room, 0, sizeof room);
  return outcome(syscall(SYS_perf_event_open, room, 0, -1, -1, 0));
}
ACT(handle_its_own_page_faults) { return UNUSED, outcome(syscall(SYS_userfaultfd, 1)); }
ACT(set_the_clock) {
  UNUSED;
  int64_t time[2] = {0, 0};
  return outcome(syscall(SYS_settimeofday, time, NULL));
}
#if defined(__x86_64__)
ACT(call_the_system_in_the_old_way) {
  UNUSED;
  long result;
  /* fork by the table of 32 bits */
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(2) : "memory");
  if (result == 0) stay();
  return result < 0 ? (int)-result : 0;
}
ACT(call_the_system_in_the_other_way) {
  UNUSED;
  long result = syscall(0x40000000 + SYS_fork);
  if (result == 0) stay();
  return outcome(result);
}
#endif

static void* wait_long(void* unused) {
  (void)unused;
  for (;;) sleep(1000);
  return NULL;
}
ACT(start_threads_without_end) {
  UNUSED;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  for (int i = 0; i < 5000; ++i) {
    pthread_t thread;
    int error = pthread_create(&thread, &small, wait_long, NULL);
    if (error) return error;
  }
  sleep(2);
  return 0;
}
ACT(compute_without_end) { return UNUSED, stay(); }
ACT(close_its_line_and_stay) {
  UNUSED;
  for (int i = 3; i < 1024; ++i) close(i);
  return stay();
}

ACT(stop_its_group) { return UNUSED, outcome(kill(0, SIGSTOP)); }
ACT(stop_itself) { return UNUSED, outcome(syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP)); }
ACT(join_the_servers_group) { return (void)runtime, outcome(setpgid(0, (pid_t)TOLD->server)); }
ACT(become_a_program_of_memory) {
  UNUSED;
  char* const words[] = {"hostile", NULL};
  int file = memfd_create("hostile", 0);
  if (file < 0) return errno;
  char const script[] = "#!/bin/true\n";
  if (write(file, script, sizeof script - 1) < 0) return errno;
  return outcome(syscall(SYS_execveat, file, "", words, words, AT_EMPTY_PATH));
}
ACT(become_a_program_of_another_user) {
  UNUSED;
  char* const words[] = {"/bin/su", "-c", "true", NULL};
  return outcome(execve("/bin/su", words, NULL));
}
ACT(take_a_descriptor_of_the_server) {
  (void)runtime;
  int server = (int)syscall(SYS_pidfd_open, TOLD->server, 0);
  return server < 0 ? errno : outcome(syscall(438 /* pidfd_getfd */, server, 0, 0));
}
ACT(write_into_the_server_from_afar) {
  (void)runtime;
  char byte = 0;
  struct iovec own = {&byte, 1}, far = {(void*)0x400000, 1};
  return outcome(process_vm_writev((pid_t)TOLD->server, &own, 1, &far, 1, 0));
}
ACT(lift_the_filter) {
  UNUSED;
  return outcome(syscall(SYS_seccomp, 0 /* strict */, 0, NULL));
}
ACT(name_the_machine) { return UNUSED, outcome(sethostname("hostile", 7)); }
ACT(restart_the_machine) { return UNUSED, outcome(syscall(SYS_reboot, 0, 0, 0, NULL)); }
ACT(leave_a_core_file) {
  UNUSED;
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &all);
  abort();
}

static void* compute_on(void* unused) { return (void)unused, stay(), NULL; }
ACT(compute_on_after_its_answer) {
  UNUSED;
  pthread_t thread;
  return pthread_create(&thread, NULL, compute_on, NULL);
}
