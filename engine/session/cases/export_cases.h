/// A model written as a folder that runs alone: what `tw export` and the window's wizard do.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/model/model.h"
#include "engine/session/values.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"
#include "engine/tensor/ndarray.h"

namespace tw::session {

/// What a front has for exporting: targets by name, and what a folder gets besides the model.
struct ExportKit {
  std::filesystem::path folder;
  std::vector<std::string> targets;  ///< the first is this machine
  std::function<Result<std::shared_ptr<Backend const>>(std::string const& target)> backend_for;
  /// Of an accelerator: the target that runs the rest beside it, empty for the first one; nothing
  /// for what runs models alone. Null: there are no accelerators.
  std::function<std::optional<std::string>(std::string const& target)> beside = {};
  /// Whether this machine has a device of that target, for the test; its error ends a sentence.
  std::function<Status(std::string const& target)> device_here = {};
};

struct ExportRequest {
  std::filesystem::path folder;
  std::string target;                  ///< of the kit's; empty: the first, this machine
  int threads = 0;                     ///< of the self-test; 0: all cores
  std::map<int, std::string> scripts;  ///< kernel row -> script; others run their default schedule
  std::filesystem::path cache_folder;  ///< empty: no cache
  int kernel = -1;  ///< the row of a kernel that is written alone; -1: the whole model
  bool is_cut =
      false;  ///< the model runs on several devices, which the package does not: it says so
  /// Of a kernel alone: what its parameters (`@param`) hold; others hold seeded random values.
  std::map<std::string, NDArray> parameters;
};

/// The test's inputs are those stored beside the model (test_data_set_N), else seeded random ones
/// with what the operators' plain loops make of them. A tensor expression, and a kernel alone, is a
/// model of one step; a model's kernel takes its weights along. `host` and `device` are this
/// machine's. Errors: not_exportable, unknown_target, unknown_parameter, wrong_input,
/// folder_in_use, no_runtime, self_test_failed, cancelled, those of compiling and of the device.
Result<ExportView> export_to_folder(LoadedModel const& model, ExportRequest const& request,
                                    ExportKit const& kit, Backend const& host, Device& device,
                                    StopToken stop = {}, Progress const& progress = {});

}  // namespace tw::session
