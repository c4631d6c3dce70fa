#include "engine/tuner/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tw {
namespace {

using records::Outcome;
using enum FailureOwner;

constexpr double kShortest = 1e-10;  // seconds: less than half a cycle of any processor
constexpr double kLongest = 2 * 86400;

constexpr Failure kTable[] = {
    // What ran, or could not, is this kernel's code.
    {"kernel_crashed", kKernel, Outcome::kCrash},
    {"division_by_zero", kKernel, Outcome::kCrash},
    {"kernel_failed", kKernel, Outcome::kCrash},
    // One that hangs still answers: to wait for it would have no end.
    {"timed_out", kKernel, Outcome::kTimeout},
    {"kernel_timed_out", kKernel, Outcome::kTimeout},
    {"accelerator_timed_out", kKernel, Outcome::kTimeout},
    {"tensor_too_large", kKernel, Outcome::kCompileError},
    {"library_too_large", kKernel, Outcome::kCompileError},
    // The device is gone, full or busy, or lets this client in no more.
    {"device_lost", kDevice, Outcome::kDeviceLost},
    {"device_unavailable", kDevice, Outcome::kDeviceLost},
    {"device_timed_out", kDevice, Outcome::kDeviceLost},
    {"device_refused", kDevice, Outcome::kDeviceLost},
    {"device_restarted", kDevice, Outcome::kDeviceLost},
    {"device_failed", kDevice, Outcome::kDeviceLost},
    {"connection_closed", kDevice, Outcome::kDeviceLost},
    {"accelerator_busy", kDevice, Outcome::kDeviceLost},
    {"corrupted_upload", kDevice, Outcome::kDeviceLost},
    {"bad_token", kDevice, Outcome::kDeviceLost},
    {"not_confined", kDevice, Outcome::kDeviceLost},
    {"out_of_memory", kDevice, Outcome::kDeviceLost},
    // It answers what cannot be, or has forgotten what it was given.
    {"impossible_times", kDevice, Outcome::kDeviceLost},
    {"malformed_frame", kDevice, Outcome::kDeviceLost},
    {"frame_too_large", kDevice, Outcome::kDeviceLost},
    {"unknown_tensor", kDevice, Outcome::kDeviceLost},
    {"unknown_library", kDevice, Outcome::kDeviceLost},
    {"out_of_tensor", kDevice, Outcome::kDeviceLost},
    {"unknown_request", kDevice, Outcome::kDeviceLost},
    {"bad_request", kDevice, Outcome::kDeviceLost},
    {"bad_trial", kDevice, Outcome::kDeviceLost},
    {"bad_timing", kDevice, Outcome::kDeviceLost},
    {"bad_thread_count", kDevice, Outcome::kDeviceLost},
    {"cancelled", kDevice, Outcome::kDeviceLost},
    // This machine, which compiles for all of them.
    {"code_generator_missing", kHere, Outcome::kDeviceLost},
};

Failure const* row_of(std::string_view code) {
  auto const* found = std::ranges::find(kTable, code, &Failure::code);
  return found == std::end(kTable) ? nullptr : found;
}

}  // namespace

std::span<Failure const> failure_table() { return kTable; }

Failure failure_of_run(Error const& error) {
  if (Failure const* known = row_of(error.code)) return *known;
  if (error.fault == Fault::kEnvironment) return {error.code, kDevice, Outcome::kDeviceLost};
  return {error.code, kKernel, Outcome::kCompileError};
}

Failure failure_of_code(Error const& error) {
  Failure const* known = row_of(error.code);
  // The linker of this process can be used no more: that it cannot link a kernel is refused.
  bool linker = error.code == "link_failed" && error.fault == Fault::kEnvironment;
  if (linker || (known && known->owner == kHere) || error.code == "cancelled")
    return {error.code, kHere, Outcome::kDeviceLost};
  return {error.code, kKernel, Outcome::kCompileError};
}

std::string impossible_times(std::vector<double> const& samples) {
  if (samples.empty()) return "the device gave no time";
  for (double sample : samples)
    if (!(sample >= kShortest && sample <= kLongest))  // not a number, too
      return fmt::format("the device reported a run of {:g} s, which no clock can have measured",
                         sample);
  return {};
}

}  // namespace tw
