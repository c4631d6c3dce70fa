#include "engine/runtime/device_runtime.h"

#include <chrono>

#include "engine/runtime/kernel_code.h"

namespace tw {
namespace {

using HostClock = std::chrono::steady_clock;

/// What an event is where there are none: the host's clock once everything was done.
struct HostEvent {
  std::optional<HostClock::time_point> at;
};

HostEvent& host_event(TwEvent event) { return *reinterpret_cast<HostEvent*>(event); }

std::unexpected<Error> no_device_functions() {
  return refused("no_device_functions", "this processor runs no functions beside its kernels");
}

}  // namespace

Result<TwFunction> KernelLibrary::device_function(std::string const&) {
  return no_device_functions();
}

Status DeviceRuntime::finish() {
  int32_t code = wait();
  if (code == 0) return {};
  if (auto failure = take_failure()) return std::unexpected(std::move(*failure));
  return stopped_with("one of the kernels", code);
}

Result<TwEvent> DeviceRuntime::create_event() { return reinterpret_cast<TwEvent>(new HostEvent); }

void DeviceRuntime::destroy(TwEvent event) { delete &host_event(event); }

Status DeviceRuntime::record(TwEvent event, TwStream) {
  TRY(finish());
  host_event(event).at = HostClock::now();
  return {};
}

Result<double> DeviceRuntime::elapsed(TwEvent from, TwEvent to) {
  auto const &begin = host_event(from).at, &end = host_event(to).at;
  if (!begin || !end)
    return bad_input("event_not_recorded",
                     "there is no time between events of which one was never "
                     "recorded");
  return std::chrono::duration<double>(*end - *begin).count();
}

Status DeviceRuntime::launch(TwFunction, TwLaunch const&, TwStream) {
  return no_device_functions();
}

}  // namespace tw
