/// Streams and events of a processor by numbers: made when they are first asked for, kept.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/runtime/device_runtime.h"

namespace tw {

/// They go away with the value; the processor must outlive it.
class StreamPool {
public:
  static constexpr uint32_t kMostStreams = 64, kMostEvents = 1 << 17;

  explicit StreamPool(DeviceRuntime& processor) : processor_(processor) {}
  ~StreamPool();
  StreamPool(StreamPool const&) = delete;
  StreamPool& operator=(StreamPool const&) = delete;

  /// Errors: too_many_streams, those of the device.
  Result<TwStream> stream(uint32_t number);
  /// Errors: too_many_events, those of the device.
  Result<TwEvent> event(uint32_t number);

private:
  DeviceRuntime& processor_;
  std::vector<TwStream> streams_;
  std::vector<TwEvent> events_;
};

}  // namespace tw
