/// The moments of a measurement as events of a processor.
#pragma once

#include "engine/runtime/stream_pool.h"
#include "engine/runtime/timer.h"

namespace tw {

/// In the order of calls. Between a device's events nobody waits for it, so that what the way there
/// costs is hidden behind what runs, as it is in a network.
class ProcessorClock final : public StepClock {
public:
  explicit ProcessorClock(DeviceRuntime& processor) : processor_(processor), events_(processor) {}

  /// All events, before anything is timed. Errors: too_many_events, those of the device.
  Status make(size_t moments) {
    for (size_t i = 0; i < moments; ++i)
      if (auto made = events_.event(uint32_t(i)); !made) return std::unexpected(made.error());
    return {};
  }
  TimedBy by() const override { return processor_.events_timed_by(); }
  Status mark(size_t index) override {
    TRY_ASSIGN(TwEvent event, events_.event(uint32_t(index)));
    return processor_.record(event, nullptr);
  }
  Result<double> between(size_t from, size_t to) override {
    TRY_ASSIGN(TwEvent begin, events_.event(uint32_t(from)));
    TRY_ASSIGN(TwEvent end, events_.event(uint32_t(to)));
    return processor_.elapsed(begin, end);
  }

private:
  DeviceRuntime& processor_;
  StreamPool events_;
};

}  // namespace tw
