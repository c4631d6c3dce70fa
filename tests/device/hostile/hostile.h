/* What the acts of hostile libraries share. Each act is a kernel: 0 when it got what it wanted,
   else why not (errno), so that the table of tests/device/hostile_test.cpp can tell. */
#ifndef TW_HOSTILE_H
#define TW_HOSTILE_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first buffer: what the test tells an act. */
struct Told {
  char file[256];   /* a file that only this user may read and write */
  char folder[256]; /* the folder that it lies in */
  int64_t server;   /* the process that serves */
  int64_t port;     /* on which somebody listens, 127.0.0.1, TCP and UDP */
};

#define ACT(name) \
  __attribute__((visibility("default"))) int name(void* const* buffers, void* runtime)
#define TOLD ((struct Told const*)buffers[0])
#define UNUSED (void)buffers, (void)runtime

/* 0 for a call that worked. */
static inline int outcome(long result) { return result < 0 ? (errno ? errno : 1) : 0; }

#endif
