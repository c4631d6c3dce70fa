/// The table that kernels get (`engine/runtime/abi.h`), in front of a processor.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "engine/runtime/abi.h"
#include "engine/runtime/device_runtime.h"
#include "engine/runtime/stream_pool.h"

namespace tw {

/// Of whoever has no device: parallel loops alone; what would start something on a device answers
/// kNoDeviceFunctions.
TwRuntime table_without_device(int32_t (*parallel_for)(void*, int64_t, TwTaskBody, void*),
                               void* pool);

/// For processors whose kernels start functions on a device: what a kernel asks of its table, the
/// processor is asked, and what goes wrong is kept as an error beside the code that the kernel
/// gets. Used by one thread at a time; a member of the processor's, since streams and events of the
/// kernels' go away with it.
class KernelRuntime {
public:
  explicit KernelRuntime(DeviceRuntime& processor) : processor_(processor), pool_(processor) {}

  /// For one call of a kernel of `library`. `pool`: whose threads run parallel loops.
  TwRuntime table(TwRuntime const& pool, KernelLibrary& library);
  /// The first thing that went wrong since the last question.
  std::optional<Error> take_failure() { return std::exchange(failure_, std::nullopt); }

private:
  friend struct TableCalls;
  int32_t done(std::function<Status()> const& work);

  DeviceRuntime& processor_;
  StreamPool pool_;
  std::optional<Error> failure_;
};

}  // namespace tw
