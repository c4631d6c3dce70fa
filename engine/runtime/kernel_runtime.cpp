#include "engine/runtime/kernel_runtime.h"

#include <cstddef>
#include <exception>

#include "engine/support/base/kernel_codes.h"

namespace tw {

// Libraries that were compiled against version 1 know these places.
static_assert(offsetof(TwRuntime, version) == 0);
static_assert(offsetof(TwRuntime, parallel_for) == sizeof(void*));
static_assert(offsetof(TwRuntime, pool) == 2 * sizeof(void*));
static_assert(offsetof(TwRuntime, module) == 3 * sizeof(void*));

namespace {

/// Takes whatever an entry of the table takes.
template <typename... Arguments>
int32_t without_device(Arguments...) {
  return kNoDeviceFunctions;
}

}  // namespace

TwRuntime table_without_device(int32_t (*parallel_for)(void*, int64_t, TwTaskBody, void*),
                               void* pool) {
  return {.version = kTwRuntimeVersion,
          .parallel_for = parallel_for,
          .pool = pool,
          .module = nullptr,
          .device = nullptr,
          .get_function = without_device,
          .launch = without_device,
          .allocate = without_device,
          .release = without_device,
          .get_stream = without_device,
          .get_event = without_device,
          .record = without_device,
          .wait_event = without_device,
          .synchronize = without_device,
          .elapsed = without_device};
}

/// No exception may pass a kernel, which is none of our code.
int32_t KernelRuntime::done(std::function<Status()> const& work) {
  Status status;
  try {
    status = work();
  } catch (std::exception const& error) {
    status = environment_failed("out_of_memory",
                                std::string("the device has no memory left: ") + error.what());
  }
  if (status) return 0;
  if (!failure_) failure_ = std::move(status).error();
  return kDeviceCallFailed;
}

/// What the entries of the table do: `device` is a KernelRuntime.
struct TableCalls {
  static KernelRuntime& of(void* device) { return *static_cast<KernelRuntime*>(device); }
  static DeviceRuntime& processor(void* device) { return of(device).processor_; }

  template <typename T>
  static Status put(Result<T> given, T* to) {
    if (!given) return std::unexpected(std::move(given).error());
    *to = *given;
    return {};
  }

  static int32_t get_function(void* device, void* module, char const* name, TwFunction* function) {
    return of(device).done(
        [&] { return put(static_cast<KernelLibrary*>(module)->device_function(name), function); });
  }
  static int32_t launch(void* device, TwFunction function, TwLaunch const* how, TwStream stream) {
    return of(device).done([&] { return processor(device).launch(function, *how, stream); });
  }
  static int32_t allocate(void* device, int64_t bytes, void** memory) {
    return of(device).done([&] { return put(processor(device).allocate(bytes), memory); });
  }
  static int32_t release(void* device, void* memory) {
    return of(device).done([&] {
      processor(device).release(memory);
      return Status();
    });
  }
  static int32_t get_stream(void* device, uint32_t number, TwStream* stream) {
    return of(device).done([&] { return put(of(device).pool_.stream(number), stream); });
  }
  static int32_t get_event(void* device, uint32_t number, TwEvent* event) {
    return of(device).done([&] { return put(of(device).pool_.event(number), event); });
  }
  static int32_t record(void* device, TwEvent event, TwStream stream) {
    return of(device).done([&] { return processor(device).record(event, stream); });
  }
  static int32_t wait_event(void* device, TwStream stream, TwEvent event) {
    return of(device).done([&] { return processor(device).wait_event(stream, event); });
  }
  static int32_t synchronize(void* device, TwStream stream) {
    return of(device).done([&] { return processor(device).synchronize(stream); });
  }
  static int32_t elapsed(void* device, TwEvent from, TwEvent to, double* seconds) {
    return of(device).done([&] { return put(processor(device).elapsed(from, to), seconds); });
  }
};

TwRuntime KernelRuntime::table(TwRuntime const& pool, KernelLibrary& library) {
  return {.version = kTwRuntimeVersion,
          .parallel_for = pool.parallel_for,
          .pool = pool.pool,
          .module = &library,
          .device = this,
          .get_function = TableCalls::get_function,
          .launch = TableCalls::launch,
          .allocate = TableCalls::allocate,
          .release = TableCalls::release,
          .get_stream = TableCalls::get_stream,
          .get_event = TableCalls::get_event,
          .record = TableCalls::record,
          .wait_event = TableCalls::wait_event,
          .synchronize = TableCalls::synchronize,
          .elapsed = TableCalls::elapsed};
}

}  // namespace tw
