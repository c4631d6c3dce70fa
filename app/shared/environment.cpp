#include "app/shared/environment.h"

#include <fmt/format.h>

#include <cstdlib>

#include "app/shared/devices.h"
#include "app/shared/private_folder.h"
#include "engine/backend/target_table.h"
#include "engine/device/described_device.h"
#include "engine/device/local_device.h"
#include "engine/support/files.h"
#include "engine/support/program.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

/// The folder that `own` names, or the one of this program below what XDG's variable names, or
/// below `standard` in the home folder.
fs::path user_folder(char const* own, char const* xdg, char const* standard) {
  if (char const* folder = std::getenv(own); folder && *folder) return folder;
  if (char const* folder = std::getenv(xdg); folder && *folder)
    return fs::path(folder) / "tilewright";
  if (char const* home = std::getenv("HOME"); home && *home)
    return fs::path(home) / standard / "tilewright";
  return temporary_folder();
}

/// A line with the folder that was chosen.
fs::path cache_choice_file() {
  return user_folder("TW_CONFIG_DIR", "XDG_CONFIG_HOME", ".config") / "cache_folder";
}

/// "lib/tilewright" beside the folder of the running program.
fs::path kit_folder() { return program_folder().parent_path() / "lib" / "tilewright"; }

Result<std::shared_ptr<Backend const>> backend_for(std::string const& target) {
  TRY_ASSIGN(Hardware hardware, target_hardware(target));
  return create_backend(hardware, code_generator_program());
}

/// This machine as the first target that it is, or, of "local:NAME", as that one: a machine may be
/// several.
Result<Hardware> hardware_here(std::string const& device) {
  size_t colon = device.find(':');
  if (colon == std::string::npos) return target_hardware_here();
  std::string target = device.substr(colon + 1);
  if (is_described_by_device(target))
    return LocalDevice({.program = {}, .target = target}).describe({});
  TRY_ASSIGN(Hardware hardware, target_hardware(target));
  if (can_be_here(target)) return hardware;
  return bad_input(
      "another_machine",
      fmt::format("'{}' is another machine; this one can be 'local:{}'", target, hardware.target));
}

/// Another machine: its own description decides what is compiled for it.
Status use_device(std::string const& name, Environment& environment) {
  TRY_ASSIGN(DeviceEntry entry, find_device(environment.devices_file, name));
  TRY_ASSIGN(std::unique_ptr<Device> device, open_registered(entry));
  TRY_ASSIGN(Hardware hardware, device->describe({}));
  TRY_ASSIGN(environment.backend, create_backend(hardware, code_generator_program()));
  // The first who opens the device takes the connection that is there.
  auto first = std::make_shared<std::unique_ptr<Device>>(std::move(device));
  environment.open_device = [entry, first]() -> Result<std::unique_ptr<Device>> {
    if (*first) return std::move(*first);
    return open_registered(entry);
  };
  return {};
}

/// Code is made for it, and nothing runs.
Status describe_device(std::string const& name, Environment& environment) {
  TRY_ASSIGN(Hardware hardware, target_hardware(name));
  TRY_ASSIGN(environment.backend, create_backend(hardware, code_generator_program()));
  environment.open_device = [hardware]() -> Result<std::unique_ptr<Device>> {
    return std::make_unique<DescribedDevice>(hardware);
  };
  return {};
}

/// Beside this one, or, of a test, among those that were built.
fs::path program_of_ours(char const* name) {
  std::error_code error;
  fs::path folder = program_folder();
  fs::path beside = folder / name, built = folder.parent_path() / "bin" / name;
  bool is_built = !fs::exists(beside, error) && fs::exists(built, error);
  return is_built ? built : beside;
}

/// Drivers are asked in a process of their own.
Status is_device_here(std::string const& target) {
  LocalDevice device({.program = program_of_ours("tw-device"), .target = target});
  if (auto found = device.describe({}); !found) return std::unexpected(found.error());
  return {};
}

}  // namespace

std::string code_generator_program() { return program_of_ours("tw-codegen").string(); }

PrivateFolder cache_folder() {
  char const* own = std::getenv("TW_CACHE_DIR");
  std::string chosen = own && *own ? "" : chosen_cache_folder();
  return private_folder(chosen.empty() ? user_folder("TW_CACHE_DIR", "XDG_CACHE_HOME", ".cache")
                                       : fs::path(chosen));
}

std::string chosen_cache_folder() {
  auto text = read_text(cache_choice_file(), 4096);
  if (!text) return "";
  std::string folder = text->substr(0, text->find('\n'));
  return fs::path(folder).is_absolute() ? folder : "";
}

Result<std::string> choose_cache_folder(std::string const& folder) {
  std::error_code error;
  if (folder.empty()) {
    fs::remove(cache_choice_file(), error);
    return std::string();
  }
  auto unusable = [&](std::string const& why) {
    return bad_input("unusable_cache_folder",
                     fmt::format("{} cannot be the cache's folder: {}", folder, why));
  };
  fs::path wanted = folder;
  if (!wanted.is_absolute()) return unusable("it is not an absolute path");
  if (folder.find('\n') != std::string::npos) return unusable("its name contains a line break");
  if (fs::exists(wanted, error) && !fs::is_directory(wanted, error))
    return unusable("it is a file");
  // Nothing of ours lies between what is somebody's.
  bool own = wanted.filename() == "tilewright" || fs::is_directory(wanted / "kernels", error);
  if (!own && fs::is_directory(wanted, error) && !fs::is_empty(wanted, error))
    wanted /= "tilewright";
  PrivateFolder usable = private_folder(wanted);
  if (!usable.warning.empty()) return unusable("others may write there");
  if (!fs::is_directory(wanted, error)) return unusable("it cannot be made");
  TRY(make_folder(cache_choice_file().parent_path()));
  TRY(write_file(cache_choice_file(), wanted.string() + "\n"));
  return wanted.string();
}

fs::path macro_folder() {
  return user_folder("TW_CONFIG_DIR", "XDG_CONFIG_HOME", ".config") / "macros";
}

fs::path trial_store_file() {
  return user_folder("TW_DATA_DIR", "XDG_DATA_HOME", ".local/share") / "trials.sqlite";
}

Result<Environment> make_environment(std::string const& device) {
  Environment environment;
  // Code is kept there and run later.
  PrivateFolder cache = cache_folder();
  environment.cache_folder = cache.path;
  environment.warning = cache.warning;
  environment.devices_file =
      user_folder("TW_CONFIG_DIR", "XDG_CONFIG_HOME", ".config") / "devices.json";
  if (is_described(device)) {
    TRY(describe_device(device, environment));
    return environment;
  }
  if (!is_this_machine(device)) {
    TRY(use_device(device, environment));
    return environment;
  }
  TRY_ASSIGN(Hardware hardware, hardware_here(device));
  TRY_ASSIGN(environment.backend, create_backend(hardware, code_generator_program()));
  size_t colon = device.find(':');
  std::string target = colon == std::string::npos ? hardware.target : device.substr(colon + 1);
  environment.open_device = [target]() -> Result<std::unique_ptr<Device>> {
    return std::make_unique<LocalDevice>(LocalDeviceOptions{.program = {}, .target = target});
  };
  environment.exports = {kit_folder(), target_names(), backend_for, processor_beside,
                         is_device_here};
  return environment;
}

}  // namespace tw
