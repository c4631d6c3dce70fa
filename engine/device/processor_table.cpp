#include "engine/device/processor_table.h"

namespace tw {

Result<FoundProcessor> find_processor(std::string_view name) {
  std::string known;
  std::string missing = "this build has no target that can run kernels on this machine";
  bool listed = name.empty();
  for (ProcessorEntry const* entry : processor_table()) {
    known += (known.empty() ? "" : ", ") + entry->name;
    if (!name.empty() && entry->name != name) continue;
    listed = true;
    Result<Hardware> hardware = entry->detect();
    if (hardware) return FoundProcessor{entry, std::move(*hardware)};
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
