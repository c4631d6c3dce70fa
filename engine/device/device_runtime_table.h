/// The kinds of processors that a device of this build has, one for each folder under targets/ with
/// a runtime.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "engine/device/driver_profile.h"
#include "engine/hardware/hardware.h"
#include "engine/runtime/device_runtime.h"

namespace tw {

/// A target's folder defines one as `DeviceRuntimeEntry const& device_runtime_FOLDER()`; the build
/// writes the table that names them.
struct DeviceRuntimeEntry {
  std::string name;  ///< `Hardware::target` of what it describes
  /// This machine as such a device. Errors: no_such_hardware, whose message ends a sentence: what
  /// is missing ("no driver answers"). Cheap and without effect: it is asked of every kind.
  Result<Hardware> (*detect)();
  /// `most_bytes`: what all tensors together may take.
  Result<std::unique_ptr<DeviceRuntime>> (*create)(Hardware const& hardware, int64_t most_bytes);
  /// Of a kind of which there are several: "NAME:KIND" asks for one of them, which may be one that
  /// `detect` does not look for, or a file. Errors: unknown_target, no_such_hardware, those of
  /// reading it. Null: there is one.
  Result<Hardware> (*detect_kind)(std::string_view kind) = nullptr;
  /// `create` opens what a process cannot open any more that is confined for a client from
  /// elsewhere; it starts no thread.
  bool create_before_confining = false;
  /// Of one whose driver cannot be confined as a kernel is: where it serves a client from
  /// elsewhere, a process of its own has it, which may do this. Null: there is no such driver.
  DriverProfile const* driver = nullptr;
};

/// Sorted by their folders. Written by the build.
std::span<DeviceRuntimeEntry const* const> device_runtime_table();

/// A kind and what it found here.
struct FoundRuntime {
  DeviceRuntimeEntry const* entry = nullptr;
  Hardware hardware;
};

/// The kind that "NAME" or "NAME:KIND" is of, whether it is here or not; null: none, or no name.
DeviceRuntimeEntry const* named_runtime(std::string_view name);

/// The kind of that name ("NAME" or "NAME:KIND"), or, where that is empty, the first that is there.
/// Errors: unknown_target, no_such_hardware.
Result<FoundRuntime> find_runtime(std::string_view name);

}  // namespace tw
