#include "engine/device/device_runtime_table.h"

namespace tw {
namespace {

/// "pynq" of "vta:pynq"; empty: another entry is meant, or it has no kinds.
std::string_view kind_of(DeviceRuntimeEntry const& entry, std::string_view name) {
  bool named = entry.detect_kind && name.starts_with(entry.name + ":");
  return named ? name.substr(entry.name.size() + 1) : std::string_view();
}

}  // namespace

DeviceRuntimeEntry const* named_runtime(std::string_view name) {
  for (DeviceRuntimeEntry const* entry : device_runtime_table())
    if (entry->name == name || !kind_of(*entry, name).empty()) return entry;
  return nullptr;
}

Result<FoundRuntime> find_runtime(std::string_view name) {
  std::string known;
  std::string missing = "this build has no target that can run kernels on this machine";
  bool listed = name.empty();
  for (DeviceRuntimeEntry const* entry : device_runtime_table()) {
    known += (known.empty() ? "" : ", ") + entry->name;
    std::string_view kind = kind_of(*entry, name);
    if (!name.empty() && entry->name != name && kind.empty()) continue;
    listed = true;
    Result<Hardware> hardware = kind.empty() ? entry->detect() : entry->detect_kind(kind);
    if (!hardware && hardware.error().code != "no_such_hardware")
      return std::unexpected(hardware.error());
    if (hardware) return FoundRuntime{entry, std::move(*hardware)};
    if (!name.empty())
      missing = "this machine has no hardware for the target '" + entry->name +
                "': " + hardware.error().message;
  }
  if (!listed)
    return bad_input("unknown_target", "there is no target '" + std::string(name) +
                                           "' here; this device has " +
                                           (known.empty() ? "none" : known));
  return environment_failed("no_such_hardware", missing);
}

}  // namespace tw
