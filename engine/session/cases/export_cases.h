/// A model written as a folder that runs alone: what `tw export` and the window's wizard do.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
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

/// A model to export, with the schedules that somebody made for its kernels.
struct ExportSource {
  Model model;
  std::map<int, std::string> scripts;  ///< kernel row -> script
  bool is_cut = false;                 ///< the project has it on several devices
  std::string sentence;                ///< what one must know of where it was found; often empty
};
enum class ProjectSchedules : uint8_t { kKept, kIgnored };
/// What `load_model` takes, or a project (.twproj): its model, its own kernels, and each kernel's
/// schedule as it stood when the project was saved. A model that is no longer there is taken from
/// the project, where that has a copy, and unpacked below `copies`. Errors: those of `load_model`
/// and `open_project`, model_missing, unknown_kernel (a schedule for what the model no longer has),
/// those of the texts of own kernels and of scripts.
Result<ExportSource> export_source(std::string const& path, LoadOptions const& options,
                                   Backend const& backend, std::filesystem::path const& copies,
                                   ProjectSchedules schedules = ProjectSchedules::kKept);

/// The test's inputs are those stored beside the model (test_data_set_N), else seeded random ones
/// with what the operators' plain loops make of them. A tensor expression, and a kernel alone, is a
/// model of one step; a model's kernel takes its weights along. `host` and `device` are this
/// machine's. Errors: not_exportable, unknown_target, unknown_parameter, wrong_input,
/// folder_in_use, no_runtime, self_test_failed, cancelled, those of compiling and of the device.
Result<ExportView> export_to_folder(LoadedModel const& model, ExportRequest const& request,
                                    ExportKit const& kit, Backend const& host, Device& device,
                                    StopToken stop = {}, Progress const& progress = {});

}  // namespace tw::session
