#include "engine/device/processor_table.h"

namespace tw {

Result<FoundProcessor> find_processor(std::string_view name) {
  std::string known;
  bool listed = name.empty();
  for (ProcessorEntry const* entry : processor_table()) {
    known += (known.empty() ? "" : ", ") + entry->name;
    if (!name.empty() && entry->name != name) continue;
    listed = true;
    if (std::optional<Hardware> hardware = entry->detect())
      return FoundProcessor{entry, std::move(*hardware)};
  }
  if (!listed)
    return bad_input("unknown_target", "there is no target '" + std::string(name) +
                                           "' here; this device has " +
                                           (known.empty() ? "none" : known));
  return environment_failed(
      "no_such_hardware",
      name.empty() ? "this build has no target that can run kernels on this machine"
                   : "this machine has no hardware for the target '" + std::string(name) + "'");
}

}  // namespace tw
