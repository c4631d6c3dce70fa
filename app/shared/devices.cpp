#include "app/shared/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <sstream>
#include <utility>

#include "app/shared/environment.h"
#include "engine/analysis/counted_operations.h"
#include "engine/backend/target_table.h"
#include "engine/device/local_device.h"
#include "engine/device/logged_device.h"
#include "engine/device/requests/status.h"
#include "engine/device/rpc/remote_device.h"
#include "engine/measure/roofs.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw {
namespace {

using namespace std::chrono;

/// The first word of the file.
Result<std::string> read_token(std::string const& file) {
  TRY_ASSIGN(std::string text, read_file(file, 1 << 16));
  std::istringstream stream(text);
  std::string token;
  stream >> token;
  if (token.empty()) return bad_input("bad_token", "the token file is empty", {file});
  return token;
}

}  // namespace

Result<std::unique_ptr<Device>> open_registered(DeviceEntry const& entry) {
  if (entry.name == kLocalDeviceName) return std::make_unique<LocalDevice>(LocalDeviceOptions{});
  RemoteDeviceOptions options{.address = entry.address};
  options.least_timeout = duration_cast<milliseconds>(duration<double>(entry.timeout_seconds));
  if (!entry.certificate_file.empty()) {
    TRY_ASSIGN(options.certificate, read_file(entry.certificate_file, 1 << 20));
  }
  if (!entry.token_file.empty()) {
    TRY_ASSIGN(options.token, read_token(entry.token_file));
  }
  TRY_ASSIGN(std::unique_ptr<Device> device, RemoteDevice::create(std::move(options)));
  return device;
}

Result<std::shared_ptr<Device>> open_logged(DeviceEntry const& entry,
                                            std::shared_ptr<DeviceLog> const& log) {
  TRY_ASSIGN(std::shared_ptr<Device> device, open_registered(entry));
  if (!log) return device;
  return std::make_shared<LoggedDevice>(std::move(device), log);
}

Status add_checked_device(std::filesystem::path const& list, DeviceEntry& entry) {
  for (std::string* file : {&entry.certificate_file, &entry.token_file})
    if (!file->empty()) *file = std::filesystem::absolute(*file).lexically_normal().string();
  TRY(open_registered(entry));
  return add_device(list, entry);
}

std::vector<std::string> device_names(std::filesystem::path const& list) {
  std::vector<std::string> names;
  if (auto entries = read_devices(list))
    for (DeviceEntry const& entry : *entries) names.push_back(entry.name);
  return names;
}

std::vector<std::string> simulated_device_names() {
  std::vector<std::string> names;
  for (TargetEntry const* target : target_table()) {
    if (!target->simulated) continue;
    for (std::string const& spelling : target->spellings())
      names.push_back(fmt::format("{}:{}", kLocalDeviceName, spelling));
  }
  return names;
}

Result<session::ChosenDevice> choose_device(std::filesystem::path const& list,
                                            std::string const& name, StopToken stop,
                                            std::shared_ptr<DeviceLog> const& log) {
  session::ChosenDevice chosen{.title = name, .backend = {}, .device = {}};
  if (is_described(name)) {
    TRY_ASSIGN(Environment environment, make_environment(name));
    TRY_ASSIGN(chosen.device, environment.open_device());
    chosen.backend = environment.backend;
    chosen.attached = false;
    return chosen;
  }
  if (is_this_machine(name) && name != kLocalDeviceName) {  // as a target that it simulates
    TRY_ASSIGN(Environment environment, make_environment(name));
    TRY_ASSIGN(std::shared_ptr<Device> device, environment.open_device());
    if (log) device = std::make_shared<LoggedDevice>(std::move(device), log);
    chosen.device = std::move(device);
    chosen.backend = environment.backend;
    return chosen;
  }
  TRY_ASSIGN(DeviceEntry entry, find_device(list, name));
  TRY_ASSIGN(chosen.device, open_logged(entry, log));
  TRY_ASSIGN(Hardware hardware, chosen.device->describe({.stop = stop}));
  TRY_ASSIGN(chosen.backend, create_backend(hardware, code_generator_program()));
  return chosen;
}

std::shared_ptr<DeviceLog> DeviceLogs::of(std::string const& device) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<DeviceLog>& log = logs_[device];
  if (!log) log = std::make_shared<DeviceLog>();
  return log;
}

std::string machine_text(Hardware const& hardware) {
  std::string kind = kind_of(hardware), text = hardware.name + (kind.empty() ? "" : ", " + kind);
  return fmt::format("{}, {}, {}", text, count_text(hardware.unit().count, hardware.unit().name),
                     bytes_text(double(hardware.main_memory_bytes())));
}

MainRoof main_roof(Roofs const& roofs) {
  std::string type = analysis::counted_type(roofs);
  return {type, analysis::arithmetic_unit(type), roofs.best(type)};
}

std::string roofs_text(Roofs const& roofs) {
  MainRoof roof = main_roof(roofs);
  return fmt::format("{}, memory {}", speed_text(roof.rate.all_cores, roof.unit),
                     speed_text(roofs.memory.back().load.all_cores, "GB/s"));
}

namespace {

constexpr int kQuestions = 5;

double milliseconds_since(steady_clock::time_point start) {
  return duration<double, std::milli>(steady_clock::now() - start).count();
}

double now_seconds() { return duration<double>(system_clock::now().time_since_epoch()).count(); }

bool has_roofs(Hardware const& hardware) {
  return std::ranges::none_of(target_table(), [&](TargetEntry const* entry) {
    return entry->simulated && entry->matches(hardware);
  });
}

/// Its clock was read somewhere between question and answer: the middle is the best guess.
void fill_status(Device& device, CallOptions const& options, DeviceState& state) {
  double before = now_seconds();
  auto status = ask_status(device, options);
  double after = now_seconds();
  if (!status) return;
  state.status = *status;
  state.clock_ahead_seconds = status->unix_seconds - (before + after) / 2;
  state.clock_within_seconds = (after - before) / 2;
}

/// Measured before, or such as follow from what the device says of itself.
std::optional<Roofs> known_roofs(std::filesystem::path const& folder, Hardware const& hardware) {
  if (auto kept = kept_roofs(folder, hardware)) return *kept;
  return computed_roofs(hardware);
}

DeviceState state_of_target(DeviceEntry const& entry, AskOptions const& asked) {
  DeviceState state{.entry = entry};
  auto environment = make_environment(entry.name);
  if (!environment) {
    state.failure = environment.error();
    return state;
  }
  state.hardware = environment->backend->target().hardware;
  state.has_roofs = has_roofs(*state.hardware);
  state.roofs = known_roofs(asked.cache_folder, *state.hardware);
  return state;
}

}  // namespace

DeviceState ask_device(DeviceEntry const& entry, AskOptions const& asked) {
  bool as_target = is_this_machine(entry.name) && entry.name != kLocalDeviceName;
  if (as_target || is_described(entry.name)) return state_of_target(entry, asked);
  DeviceState state{.entry = entry};
  std::shared_ptr<DeviceLog> log = asked.logs ? asked.logs->of(entry.name) : nullptr;
  bool here = entry.name == kLocalDeviceName;
  using Opened = Result<std::unique_ptr<Device>>;
  Opened device =
      here ? Opened(std::make_unique<LocalDevice>(LocalDeviceOptions{asked.local_program}))
           : open_registered(entry);
  CallOptions options{.timeout = seconds(4)};
  auto start = steady_clock::now();
  auto hardware =
      device ? (*device)->describe(options) : Result<Hardware>(std::unexpected(device.error()));
  state.connect_ms = milliseconds_since(start);
  if (!hardware) {
    state.failure = hardware.error();
    if (log)
      log->add(DeviceEvent::Kind::kFailed, "asked what it is: " + to_sentence(*state.failure));
    return state;
  }
  for (int i = 0; i < kQuestions; ++i) {
    start = steady_clock::now();
    if (!(*device)->describe(options)) break;
    double ms = milliseconds_since(start);
    state.answer_ms = i == 0 ? ms : std::min(state.answer_ms, ms);
    state.answer_most_ms = std::max(state.answer_most_ms, ms);
  }
  fill_status(**device, options, state);
  state.hardware = *hardware;
  state.has_roofs = has_roofs(*hardware);
  state.roofs = known_roofs(asked.cache_folder, *hardware);
  if (log)
    log->add(DeviceEvent::Kind::kConnected,
             fmt::format("asked for its hardware: connected in {}, answers in {}",
                         milliseconds_text(state.connect_ms), milliseconds_text(state.answer_ms)));
  return state;
}

std::vector<DeviceState> ask_devices(std::vector<DeviceEntry> const& entries,
                                     AskOptions const& options) {
  std::vector<DeviceEntry> all{{.name = kLocalDeviceName}};
  all.insert(all.end(), entries.begin(), entries.end());
  std::vector<std::future<DeviceState>> asked;
  for (DeviceEntry const& entry : all)
    asked.push_back(
        std::async(std::launch::async, [&entry, &options] { return ask_device(entry, options); }));
  std::vector<DeviceState> states;
  for (auto& one : asked) states.push_back(one.get());
  return states;
}

}  // namespace tw
