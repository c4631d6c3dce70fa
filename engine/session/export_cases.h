/// A model written as a folder that runs alone: what `tw export` and the window's wizard do.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/values.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"

namespace tw {
class Backend;
class Device;
}  // namespace tw

namespace tw::session {

class LoadedModel;

/// What a front has for exporting: targets by name, and what a folder gets besides the model.
struct ExportKit {
  std::filesystem::path folder;
  std::vector<std::string> targets;  ///< the first is this machine
  std::function<Result<std::shared_ptr<Backend const>>(std::string const& target)> backend_for;
};

struct ExportRequest {
  std::filesystem::path folder;
  std::string target = "cpu";
  int threads = 0;                     ///< of the self-test; 0: all cores
  std::map<int, std::string> scripts;  ///< kernel row -> script; others run their default schedule
  std::filesystem::path cache_folder;  ///< empty: no cache
};

/// The test's inputs are those stored beside the model (test_data_set_0), else seeded random ones
/// with what the operators' plain loops make of them. `host` and `device` are this machine's.
/// Errors: not_exportable, unknown_target, folder_in_use, no_runtime, self_test_failed, cancelled,
/// those of compiling and of the device.
Result<ExportView> export_to_folder(LoadedModel const& model, ExportRequest const& request,
                                    ExportKit const& kit, Backend const& host, Device& device,
                                    StopToken stop = {}, Progress const& progress = {});

}  // namespace tw::session
