/// The contract between a compiled kernel and whoever calls it: plain C, shipped with every export.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One task of a parallel loop; returns 0, or a code that stops the kernel.
typedef int32_t (*TwTaskBody)(void* closure, int64_t task);

/// What a kernel may call: a library of kernels has no undefined symbols, it gets this table.
typedef struct TwRuntime {
  uint32_t version; /* kTwRuntimeVersion */
  /// Runs body(closure, i) for i in 0..tasks-1, each once, and waits. Returns the first non-zero
  /// code.
  int32_t (*parallel_for)(void* pool, int64_t tasks, TwTaskBody body, void* closure);
  void* pool;
} TwRuntime;

enum { kTwRuntimeVersion = 1 };

/// A kernel: buffers in the order inputs, outputs, then one workspace pointer (64-byte aligned, of
/// the size its artifact states; null when that is 0). Returns 0 when done.
typedef int32_t (*TwKernel)(void* const* buffers, TwRuntime const* runtime);

#ifdef __cplusplus
}
#endif
