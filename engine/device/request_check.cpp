#include "engine/device/request_check.h"

#include <algorithm>

#include "engine/device/requests.h"

namespace tw {
namespace {

constexpr int kMostThreads = 1024;
constexpr int kMostSteps = 1 << 16;
constexpr double kMostSeconds = 86400;

using CheckLibrary = Status (*)(std::span<std::byte const>);

Status check_bytes(std::string const& library, CheckLibrary check_library) {
  return check_library ? check_library(std::as_bytes(std::span(library))) : Status();
}

Status check_time(wire::Time const& time) {
  TRY(timing_options_of(time));
  return check_run(time.run());
}

Status check_trial(wire::Trial const& trial, CheckLibrary check_library) {
  TRY(check_time(trial.time()));
  return check_bytes(trial.library(), check_library);
}

bool is_known(wire::Request::KindCase kind) {
  switch (kind) {
    case wire::Request::kDescribe:
    case wire::Request::kAllocate:
    case wire::Request::kWrite:
    case wire::Request::kRead:
    case wire::Request::kFreeTensor:
    case wire::Request::kFreeLibrary:
      return true;
    default:
      return std::ranges::any_of(request_table(), [&](auto row) { return row->kind == kind; });
  }
}

}  // namespace

Status check_run(wire::Run const& run) {
  if (run.threads() < 1 || run.threads() > kMostThreads)
    return bad_input("bad_thread_count", "a device runs 1 to " + std::to_string(kMostThreads) +
                                             " threads, not " + std::to_string(run.threads()));
  if (run.steps_size() > kMostSteps)
    return bad_input("too_many_steps", "too many steps in one request");
  return {};
}

Result<TimingOptions> timing_options_of(wire::Time const& time) {
  for (double seconds : {time.min_sample_seconds(), time.most_seconds(), time.incumbent_seconds()})
    if (!(seconds >= 0 && seconds <= kMostSeconds))  // also for what is no number
      return bad_input("bad_timing",
                       "the time of a sample and of a measurement must be from 0 seconds to a day");
  return TimingOptions{.warm_up = std::clamp(time.warm_up(), 0, 1 << 20),
                       .repeats = std::clamp(time.repeats(), 1, 1 << 20),
                       .min_sample_seconds = time.min_sample_seconds(),
                       .most_seconds = time.most_seconds(),
                       .incumbent_seconds = time.incumbent_seconds()};
}

Result<package::Description> network_of(std::string const& description) {
  TRY_ASSIGN(package::Description network, package::parse_description(description));
  if (network.elsewhere.empty()) return network;
  return bad_input("bad_package", "some steps of the network run on another device");
}

Status check_request(wire::Request const& request, CheckLibrary check_library) {
  switch (request.kind_case()) {
    case wire::Request::kLoadLibrary:
      return check_bytes(request.load_library(), check_library);
    case wire::Request::kLoadNetwork:
      TRY(network_of(request.load_network().description()));
      return {};
    case wire::Request::kRun:
      return check_run(request.run());
    case wire::Request::kTime:
      return check_time(request.time());
    case wire::Request::kTrial:
      return check_trial(request.trial(), check_library);
    case wire::Request::kTrials:
      for (wire::Trial const& trial : request.trials().trials())
        TRY(check_trial(trial, check_library));
      return {};
    default:
      break;
  }
  if (is_known(request.kind_case())) return {};
  return bad_input("unknown_request", "the device does not know this request");
}

}  // namespace tw
