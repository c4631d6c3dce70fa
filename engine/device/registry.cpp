#include "engine/device/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/support/files.h"

namespace tw {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DeviceEntry, name, address, certificate_file,
                                                token_file, timeout_seconds)

namespace {

using Json = nlohmann::json;
constexpr int kVersion = 1;
constexpr size_t kMostDevices = 1000;
constexpr double kLongestTimeout = 86400;  // seconds

bool is_device_name(std::string const& name) {
  auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 40 && name != kLocalDeviceName &&
         std::ranges::all_of(name, allowed);
}

bool is_timeout(double seconds) { return seconds >= 0 && seconds <= kLongestTimeout; }

std::unexpected<Error> bad_list(std::string const& why) {
  return bad_input("bad_device_list", "this is not a list of devices: " + why);
}

std::unexpected<Error> unknown(std::string const& name, std::vector<DeviceEntry> const& devices) {
  std::string names = kLocalDeviceName;
  for (DeviceEntry const& device : devices) names += ", " + device.name;
  return bad_input("unknown_device",
                   fmt::format("there is no device '{}'; there are: {}", name, names));
}

}  // namespace

bool is_this_machine(std::string_view device) {
  return device.empty() || device.substr(0, device.find(':')) == kLocalDeviceName;
}

Result<std::vector<DeviceEntry>> parse_devices(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return bad_list("it is not a JSON object");
  auto version = json.find("tilewright_devices");
  if (version == json.end() || !version->is_number_integer()) return bad_list("it has no version");
  if (*version != kVersion)
    return bad_input("unknown_version",
                     "the list of devices was written by a newer version of Tilewright");
  auto list = json.find("devices");
  if (list == json.end() || !list->is_array() || list->size() > kMostDevices)
    return bad_list("it has no devices");
  std::vector<DeviceEntry> devices;
  try {
    devices = list->get<std::vector<DeviceEntry>>();
  } catch (Json::exception const& error) {
    return bad_list(error.what());
  }
  for (size_t i = 0; i < devices.size(); ++i) {
    bool again = std::any_of(devices.begin(), devices.begin() + std::ptrdiff_t(i),
                             [&](DeviceEntry const& d) { return d.name == devices[i].name; });
    if (!is_device_name(devices[i].name) || again)
      return bad_list(fmt::format("the name of device {} is not valid", i + 1));
    if (!is_timeout(devices[i].timeout_seconds))
      return bad_list(fmt::format("the timeout of device {} is not valid", devices[i].name));
  }
  return devices;
}

std::string to_text(std::vector<DeviceEntry> const& devices) {
  Json json = {{"tilewright_devices", kVersion}, {"devices", devices}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<DeviceEntry>> read_devices(std::filesystem::path const& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::vector<DeviceEntry>();
  TRY_ASSIGN(std::string text, read_text(file, 1 << 20));
  Result<std::vector<DeviceEntry>> devices = parse_devices(text);
  if (devices) return devices;
  Error failure = devices.error();
  failure.place.file = file.string();
  return std::unexpected(failure);
}

Status write_devices(std::filesystem::path const& file, std::vector<DeviceEntry> const& devices) {
  return write_output(file, to_text(devices));
}

Status add_device(std::filesystem::path const& file, DeviceEntry const& entry) {
  if (!is_device_name(entry.name))
    return bad_input("bad_device_name",
                     fmt::format("'{}' cannot be the name of a device: a name has letters, digits, "
                                 "'.', '_' and '-', and is not '{}'",
                                 entry.name.substr(0, 80), kLocalDeviceName));
  if (!is_timeout(entry.timeout_seconds))
    return bad_input("bad_timeout", "the time limit of a call must be from 0 seconds to a day");
  TRY_ASSIGN(std::vector<DeviceEntry> devices, read_devices(file));
  auto found = std::ranges::find(devices, entry.name, &DeviceEntry::name);
  if (found == devices.end())
    devices.push_back(entry);
  else
    *found = entry;
  return write_devices(file, devices);
}

Status remove_device(std::filesystem::path const& file, std::string const& name) {
  TRY_ASSIGN(std::vector<DeviceEntry> devices, read_devices(file));
  if (std::erase_if(devices, [&](DeviceEntry const& d) { return d.name == name; }) == 0)
    return unknown(name, devices);
  return write_devices(file, devices);
}

Result<DeviceEntry> find_device(std::filesystem::path const& file, std::string const& name) {
  TRY_ASSIGN(std::vector<DeviceEntry> devices, read_devices(file));
  auto found = std::ranges::find(devices, name, &DeviceEntry::name);
  if (found == devices.end()) return unknown(name, devices);
  return *found;
}

}  // namespace tw
