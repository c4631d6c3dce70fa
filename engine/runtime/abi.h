/// The contract between a compiled kernel and whoever calls it: plain C, shipped with every export.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One task of a parallel loop; returns 0, or a code that stops the kernel.
typedef int32_t (*TwTaskBody)(void* closure, int64_t task);

/// Handles of the runtime's: a function that runs on a device, an order in which a device works,
/// a moment in one. A null stream is the one that the kernel itself was called on.
typedef struct TwFunctionOfDevice* TwFunction;
typedef struct TwStreamOfDevice* TwStream;
typedef struct TwEventOfDevice* TwEvent;

/// What an argument of a device function is. A buffer is one of the kernel's buffers or what
/// `allocate` gave, with bytes added: a pointer, which the runtime turns into what the device
/// calls that place.
enum { kTwValue = 0, kTwBuffer = 1 };

/// `bytes` of the packed arguments, from `offset` on.
typedef struct TwArgument {
  uint32_t kind; /* kTwValue, kTwBuffer */
  uint32_t offset;
  uint32_t bytes;
} TwArgument;

/// How a device function is started: blocks of threads along x, y and z, at least one each.
typedef struct TwLaunch {
  uint32_t grid[3];      /* blocks */
  uint32_t block[3];     /* threads of a block */
  uint32_t shared_bytes; /* that the threads of a block share, beside what the function has */
  uint32_t argument_count;
  TwArgument const* arguments;
  void const* packed; /* what `arguments` are parts of; read before `launch` returns */
} TwLaunch;

/// What a kernel may call: a library of kernels has no undefined symbols, it gets this table.
/// A later version of it has more entries at its end, and never others in their place.
typedef struct TwRuntime {
  uint32_t version; /* kTwRuntimeVersion of whoever calls */
  /// Runs body(closure, i) for i in 0..tasks-1, each once, and waits. Returns the first non-zero
  /// code.
  int32_t (*parallel_for)(void* pool, int64_t tasks, TwTaskBody body, void* closure);
  void* pool;

  /* Since version 2: what a kernel starts on a device. All return 0, or a code that the kernel had
   * better return, too: the runtime then says what was wrong. They are called from the kernel's own
   * thread, not from tasks. Who uses them says so with TW_NEEDS_RUNTIME(2). */
  void* module; /* that the kernel is of, for get_function */
  void* device; /* the first argument of all */
  /// The function of that name in the device's part of the module.
  int32_t (*get_function)(void* device, void* module, char const* name, TwFunction* function);
  /// Has the stream run it after what the stream was given before.
  int32_t (*launch)(void* device, TwFunction function, TwLaunch const* how, TwStream stream);
  /// Memory of the device, of at least one byte, from a multiple of 64 on; whatever it holds.
  int32_t (*allocate)(void* device, int64_t bytes, void** memory);
  /// After all that was started so far.
  int32_t (*release)(void* device, void* memory);
  /// Streams beside the kernel's own, and events, by numbers from 0 on: they are made when they are
  /// first asked for, and live on. Before a kernel returns, its own stream must wait for what it
  /// started on others: the next kernel knows nothing of it.
  int32_t (*get_stream)(void* device, uint32_t number, TwStream* stream);
  int32_t (*get_event)(void* device, uint32_t number, TwEvent* event);
  /// The event is when the stream has done what it was given so far; recorded again it is another
  /// moment.
  int32_t (*record)(void* device, TwEvent event, TwStream stream);
  /// What the stream is given from now on begins after the event as it was recorded last; an event
  /// that never was holds up nothing.
  int32_t (*wait_event)(void* device, TwStream stream, TwEvent event);
  /// Until the stream has done what it was given.
  int32_t (*synchronize)(void* device, TwStream stream);
  /// Seconds between two recorded events, when both have been.
  int32_t (*elapsed)(void* device, TwEvent from, TwEvent to, double* seconds);
} TwRuntime;

enum { kTwRuntimeVersion = 2 };

/// Stands once in a library whose kernels use what came after version 1. A runtime of an older
/// version refuses to load it (those of version 1 do not know of it). Without it a library is
/// loaded by all.
#define TW_NEEDS_RUNTIME(version)                                                \
  extern __attribute__((visibility("default"))) uint32_t const tw_needs_runtime; \
  uint32_t const tw_needs_runtime = (version)

/// A kernel: buffers in the order inputs, outputs, then one workspace pointer (64-byte aligned, of
/// the size its artifact states; null when that is 0). Returns 0 when done. Where the buffers are a
/// device's, they are no addresses of this process.
typedef int32_t (*TwKernel)(void* const* buffers, TwRuntime const* runtime);

#ifdef __cplusplus
}
#endif
