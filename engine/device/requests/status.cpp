#include "engine/device/requests/status.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>

#include "engine/device/request_handler.h"
#include "engine/device/requests.h"
#include "engine/device/rpc_session.h"
#include "engine/device/words.h"
#include "engine/runtime/timer.h"

namespace tw::request_status {
namespace {

constexpr size_t kMostWays = 32;

/// The system's own files, where they can be seen.
std::optional<double> first_number_in(char const* file) {
  double number = 0;
  return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

/// The best of some bursts: a process that was interrupted is not slow.
double speed_now() {
  double best = 0;
  for (int burst = 0; burst < 5; ++burst) best = std::max(best, probe_speed());
  return best;
}

Result<wire::Response> answer(RequestHandler& handler, wire::Request const&) {
  wire::Response response;
  wire::Status& status = *response.mutable_status();
  auto now = std::chrono::system_clock::now().time_since_epoch();
  status.set_unix_seconds(std::chrono::duration<double>(now).count());
  status.set_uptime_seconds(first_number_in("/proc/uptime").value_or(0));
  status.set_load(first_number_in("/proc/loadavg").value_or(-1));
  status.set_speed(speed_now());
  DeviceHolding holding = handler.holding();
  status.set_tensors(holding.tensors);
  status.set_tensor_bytes(holding.tensor_bytes);
  status.set_libraries(holding.libraries);
  status.set_library_bytes(holding.library_bytes);
  for (std::string const& way : handler.open_ways()) status.add_open_ways(way);
  return response;
}

}  // namespace
}  // namespace tw::request_status

namespace tw {

Result<DeviceStatus> ask_status(Device& device, CallOptions const& options) {
  wire::Request request;
  request.mutable_status();
  TRY_ASSIGN(wire::Response answer, device.ask(request, options));
  if (!answer.has_status()) return unexpected_answer();
  wire::Status const& status = answer.status();
  for (double value :
       {status.unix_seconds(), status.uptime_seconds(), status.load(), status.speed()})
    if (!std::isfinite(value)) return unexpected_answer();
  DeviceStatus told{
      status.unix_seconds(), status.uptime_seconds(), status.load(), status.speed(), {}, {}};
  told.holding = {status.tensors(), status.tensor_bytes(), status.libraries(),
                  status.library_bytes()};
  for (std::string const& way : status.open_ways())
    if (told.open_ways.size() < request_status::kMostWays)
      told.open_ways.push_back(one_line(way, 200));
  return told;
}

}  // namespace tw

namespace tw::request_status {

RequestRow const& row() {
  static RequestRow const row{wire::Request::kStatus, answer};
  return row;
}

}  // namespace tw::request_status
