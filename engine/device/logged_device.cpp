#include "engine/device/logged_device.h"

#include <fmt/format.h>

#include "engine/device/messages.pb.h"
#include "engine/support/base/quantities.h"

namespace tw {
namespace {

using Kind = DeviceEvent::Kind;
using Clock = std::chrono::steady_clock;

std::string since(Clock::time_point start) {
  return duration_text(std::chrono::duration<double>(Clock::now() - start).count());
}

std::string names_of(std::span<DeviceStep const> steps) {
  return steps.size() == 1 ? steps[0].symbol : count_text(int64_t(steps.size()), "kernel");
}

/// Codes after which the device's tensors and libraries are gone.
bool ends_a_life(Error const& error) {
  for (char const* code : {"device_unavailable", "device_lost", "device_timed_out",
                           "kernel_crashed", "division_by_zero", "kernel_timed_out"})
    if (error.code == code) return true;
  return false;
}

}  // namespace

void LoggedDevice::note_life(uint64_t generation) {
  uint64_t before = life_.exchange(generation);
  if (before == generation) return;
  log_->add(Kind::kConnected, before == 0 ? "a worker process was started there"
                                          : "connected again: the new worker process has none of "
                                            "the tensors and kernels of the previous one");
}

void LoggedDevice::note_failure(char const* doing, Error const& error) {
  if (error.code == "cancelled" || error.code == "device_restarted") return;
  log_->add(ends_a_life(error) ? Kind::kLost : Kind::kFailed,
            fmt::format("while {}: {}", doing, to_sentence(error)));
}

Result<Hardware> LoggedDevice::describe(CallOptions const& options) {
  auto start = Clock::now();
  auto hardware = device_->describe(options);
  if (hardware)
    log_->add(
        Kind::kConnected,
        fmt::format("it described its hardware after {}: {}, {}", since(start), hardware->name,
                    count_text(hardware->unit().count, hardware->unit().name)));
  else
    note_failure("asking for its hardware", hardware.error());
  return hardware;
}

Result<wire::Response> LoggedDevice::ask(wire::Request const& request, CallOptions const& options) {
  return device_->ask(request, options);
}

Result<TensorHandle> LoggedDevice::allocate(int64_t bytes, CallOptions const& options) {
  auto tensor = device_->allocate(bytes, options);
  if (tensor)
    note_life(tensor->generation);
  else
    note_failure("making a tensor", tensor.error());
  return tensor;
}

Status LoggedDevice::write(TensorHandle const& tensor, int64_t offset,
                           std::span<std::byte const> from, CallOptions const& options) {
  Status status = device_->write(tensor, offset, from, options);
  if (!status) note_failure("sending a tensor", status.error());
  return status;
}

Status LoggedDevice::read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
                          CallOptions const& options) {
  Status status = device_->read(tensor, offset, to, options);
  if (!status) note_failure("reading a tensor", status.error());
  return status;
}

Status LoggedDevice::free(TensorHandle const& tensor) { return device_->free(tensor); }

Result<LibraryHandle> LoggedDevice::load(std::span<std::byte const> library,
                                         CallOptions const& options) {
  auto start = Clock::now();
  auto handle = device_->load(library, options);
  if (!handle) {
    note_failure("loading a library", handle.error());
    return handle;
  }
  note_life(handle->generation);
  log_->add(Kind::kLoaded,
            fmt::format("a library of {} in {}", bytes_text(library.size()), since(start)));
  return handle;
}

Result<LibraryHandle> LoggedDevice::load_network(LibraryHandle const& library,
                                                 std::string const& description,
                                                 CallOptions const& options) {
  auto handle = device_->load_network(library, description, options);
  if (!handle) note_failure("loading a network", handle.error());
  return handle;
}

Status LoggedDevice::free(LibraryHandle const& library) { return device_->free(library); }

Status LoggedDevice::run(std::span<DeviceStep const> steps, int threads,
                         CallOptions const& options) {
  auto start = Clock::now();
  Status status = device_->run(steps, threads, options);
  if (status)
    log_->add(Kind::kRan, fmt::format("{} with {}, answered after {}", names_of(steps),
                                      count_text(threads, "thread"), since(start)));
  else
    note_failure("running", status.error());
  return status;
}

Result<Timing> LoggedDevice::time(std::span<DeviceStep const> steps, int threads,
                                  TimingOptions const& timing_options, CallOptions const& options) {
  auto start = Clock::now();
  auto timing = device_->time(steps, threads, timing_options, options);
  if (timing)
    log_->add(
        Kind::kTimed,
        fmt::format("{} with {}: {} at best of {}, in {}", names_of(steps),
                    count_text(threads, "thread"), duration_text(timing->total.least()),
                    count_text(int64_t(timing->total.seconds.size()), "sample"), since(start)));
  else
    note_failure("timing", timing.error());
  return timing;
}

Result<TrialAnswer> LoggedDevice::attempt(std::span<std::byte const> library,
                                          DeviceStep const& step,
                                          std::span<LimitedOutput const> outputs, int threads,
                                          TimingOptions const& timing_options,
                                          CallOptions const& options) {
  auto start = Clock::now();
  auto answer = device_->attempt(library, step, outputs, threads, timing_options, options);
  if (!answer && answer.error().code != "unknown_request")
    note_failure("trying a kernel", answer.error());
  if (!answer) return answer;
  std::string what = answer->wrong_output < 0 ? duration_text(answer->samples.least()) + " at best"
                                              : "its output is wrong";
  log_->add(Kind::kTimed, fmt::format("{} with {} on trial: {}, in {}", step.symbol,
                                      count_text(threads, "thread"), what, since(start)));
  return answer;
}

}  // namespace tw
