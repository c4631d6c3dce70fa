/// The devices that a person has added: a small file of names and addresses. Secrets stay in files
/// of their own, which are only named here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

constexpr char kLocalDeviceName[] = "local";  ///< this machine; needs no entry

/// Whether a name that a person gave means this machine: none, "local", or "local:TARGET".
bool is_this_machine(std::string_view device);

struct DeviceEntry {
  std::string name;              ///< letters, digits, '.', '_' and '-', at most 40
  std::string address;           ///< HOST:PORT
  std::string certificate_file;  ///< PEM, absolute; empty: no TLS
  std::string token_file;        ///< absolute; empty: no token
  double timeout_seconds = 0;    ///< that a call there may take at least; 0: as everywhere
  bool operator==(DeviceEntry const&) const = default;
};

/// Errors: bad_device_list, unknown_version.
Result<std::vector<DeviceEntry>> parse_devices(std::string_view text);
std::string to_text(std::vector<DeviceEntry> const& devices);

/// A file that is not there is an empty list. Errors: those of parse_devices and read_file.
Result<std::vector<DeviceEntry>> read_devices(std::filesystem::path const& file);
Status write_devices(std::filesystem::path const& file, std::vector<DeviceEntry> const& devices);

/// Adds, or replaces the one of that name. Errors: bad_device_name, bad_timeout, and those of
/// reading and writing.
Status add_device(std::filesystem::path const& file, DeviceEntry const& entry);
/// Errors: unknown_device, and those of reading and writing.
Status remove_device(std::filesystem::path const& file, std::string const& name);
/// Errors: unknown_device (with the names there are), and those of reading.
Result<DeviceEntry> find_device(std::filesystem::path const& file, std::string const& name);

}  // namespace tw
