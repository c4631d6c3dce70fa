/// A model as a folder that runs alone: written, loaded in a clean process, compared, then named.
#pragma once

#include <filesystem>

#include "engine/execute/assemble.h"
#include "engine/package/self_test.h"

namespace tw {

struct ExportOptions {
  std::string name;              ///< the model's
  std::filesystem::path folder;  ///< absent, empty, or an earlier export, which is replaced
  /// Runtime library, header and examples as built: "tilewright.h", "ARCHITECTURE/example", ...
  std::filesystem::path kit;
  /// What the model makes of `inputs` by something other than the kernels.
  std::vector<NDArray> inputs, expected;
  std::string origin;  ///< of `expected`, for people: "the model's stored outputs"
  /// How far outputs may be from `expected`, over the largest value of each.
  double tolerance = 1e-3;
  std::string note;  ///< a sentence for people without its full stop; may be empty
  int threads = 1;   ///< of the self-test
  DeviceHere device_here = {};
  CodeTier tier = CodeTier::kFull;
  CodeCache* cache = nullptr;
  CallOptions call;
  Progress progress;
};

struct ExportResult {
  std::filesystem::path folder;
  int kernels = 0;
  int64_t library_bytes = 0, parameter_bytes = 0, runtime_bytes = 0;
  SelfTest test;
};

/// Nothing is left behind, and an earlier export stays, when it fails. Errors: not_exportable,
/// folder_in_use, no_runtime (the kit has none for the target, or its machine), self_test_failed,
/// file_unwritable, cancelled, those of compiling and of the device.
Result<ExportResult> export_model(PackageSource const& source, ExportOptions const& options);

/// Architecture and features that a target's code needs.
package::Target target_of(Backend const& backend);

}  // namespace tw
