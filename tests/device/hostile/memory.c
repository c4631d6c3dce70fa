/* Memory beyond the share. */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>

#include "hostile.h"

#define STEP ((size_t)16 << 20)
#define MOST ((size_t)1200 << 20)

/* Takes it piece by piece, as much as the test calls too much; then holds it for a while. */
static int take_all(int flags) {
  for (size_t taken = 0; taken < MOST; taken += STEP) {
    void* piece = mmap(NULL, STEP, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) return errno;
    memset(piece, 1, STEP);
  }
  sleep(2);
  return 0;
}

ACT(take_private_memory) { return UNUSED, take_all(MAP_PRIVATE); }
ACT(take_shared_memory) { return UNUSED, take_all(MAP_SHARED); }

ACT(take_memory_of_system_v) {
  UNUSED;
  int id = shmget(IPC_PRIVATE, STEP, IPC_CREAT | 0600);
  if (id < 0) return errno;
  void* piece = shmat(id, NULL, 0);
  shmctl(id, IPC_RMID, NULL);
  return piece == (void*)-1 ? errno : 0;
}
ACT(take_memory_with_a_name) {
  return UNUSED, outcome(open("/dev/shm/tilewright-hostile", O_RDWR | O_CREAT, 0600));
}

static int fill(int file) {
  static char block[1 << 20];
  memset(block, 1, sizeof block);
  for (size_t i = 0; i < STEP / sizeof block; ++i)
    if (write(file, block, sizeof block) != (ssize_t)sizeof block) return errno;
  return 0;
}

/* Files of memory count while they are open ... */
ACT(take_memory_in_files) {
  UNUSED;
  for (size_t taken = 0; taken < MOST; taken += STEP) {
    int file = memfd_create("hostile", 0);
    if (file < 0) return errno;
    int error = fill(file);
    if (error) return error;
  }
  sleep(2);
  return 0;
}
/* ... and must not be hidden behind a mapping of one page. */
ACT(take_memory_in_hidden_files) {
  UNUSED;
  for (size_t taken = 0; taken < MOST; taken += STEP) {
    int file = memfd_create("hostile", 0);
    if (file < 0) return errno;
    int error = fill(file);
    if (error) return error;
    if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED) return errno;
    close(file);
    usleep(20000);
  }
  sleep(2);
  return 0;
}
ACT(make_one_huge_file_of_memory) {
  UNUSED;
  int file = memfd_create("hostile", 0);
  return file < 0 ? errno : outcome(ftruncate(file, (off_t)8 << 30));
}
ACT(take_huge_pages) {
  UNUSED;
  void* piece =
      mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (piece == MAP_FAILED) return errno;
  return 0;
}
ACT(lock_memory) { return UNUSED, outcome(mlockall(MCL_CURRENT | MCL_FUTURE)); }
ACT(reserve_a_huge_file_of_memory) {
  UNUSED;
  int file = memfd_create("hostile", 0);
  return file < 0 ? errno : outcome(posix_fallocate(file, 0, (off_t)8 << 30) ? -1 : 0);
}
ACT(share_a_file_of_memory) {
  UNUSED;
  int file = memfd_create("hostile", 0);
  if (file < 0 || write(file, "x", 1) != 1) return errno;
  void* piece = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  return piece == MAP_FAILED ? errno : 0;
}
ACT(grow_its_stack) {
  UNUSED;
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  return outcome(setrlimit(RLIMIT_STACK, &all));
}

/* A thread whose open files are its own, which nobody who looks at the process sees. */
static int fill_and_wait(void* unused) {
  (void)unused;
  for (size_t taken = 0; taken < MOST; taken += STEP) {
    int file = memfd_create("hostile", 0);
    if (file < 0 || fill(file) != 0) break;
  }
  sleep(2);
  syscall(SYS_exit, 0);
  return 0;
}
ACT(take_files_of_memory_in_a_thread_of_its_own_table) {
  UNUSED;
  char* stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return errno;
  int flags = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_FS | CLONE_SYSVSEM;
  if (clone(fill_and_wait, stack + (1 << 20), flags, NULL) < 0) return errno;
  sleep(4);
  return 0;
}

/* The first thread ends, and with it what the system says of the process at the usual place. */
static void* take_later(void* files) {
  usleep(200000);
  if (files)
    fill_and_wait(NULL);
  else
    take_all(MAP_PRIVATE);
  return NULL;
}
static int end_the_first_thread(void* files) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, take_later, files);
  if (error) return error;
  syscall(SYS_exit, 0);
  return 0;
}
ACT(take_memory_when_the_first_thread_has_ended) { return UNUSED, end_the_first_thread(NULL); }
ACT(take_files_when_the_first_thread_has_ended) {
  return (void)runtime, end_the_first_thread((void*)buffers);
}
