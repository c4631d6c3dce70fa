// What a tuning found, as a file that every front opens.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/compile/kernel_code.h"
#include "engine/device/registry.h"
#include "engine/history/history.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/project/project.h"
#include "engine/session/tuning.h"
#include "engine/session/use_cases.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"
#include "engine/support/sha256.h"

namespace tw::session {
namespace {

Status know_file(ProjectModel& model, std::filesystem::path const& project_file) {
  if (!model.is_file()) return {};
  TRY_ASSIGN(model.sha256, sha256_of_file(model.source, {}));
  TRY_ASSIGN(model.files, files_of_model(model.source));
  std::error_code unknown;
  model.bytes = int64_t(std::filesystem::file_size(model.source, unknown));
  model.beside = path_beside(model.source, project_file);
  return {};
}

/// One branch, which ends at the schedule that was found, with its time there.
Result<ProjectKernel> project_kernel(LoadedModel const& model, TunedKernel const& kernel,
                                     std::string const& script, TriedOn const& where,
                                     Backend const& backend) {
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel.kernel));
  Schedule schedule(std::move(plain), backend.shared_target());
  History history(schedule);
  TRY_ASSIGN(schedule, schedule_of(schedule.program(), &script, backend));
  TRY_ASSIGN(history, history.add(0, std::move(schedule), kTunedLabel));
  double seconds = kernel.result->seconds;
  auto flops = double(model.kernel(kernel.kernel).flops);
  history = history.with_measured(history.current(), where,
                                  {.min_ms = seconds * 1e3, .gflops = flops / seconds * 1e-9});
  history = history.with_correctness(history.current(), where, Correctness::kCorrect,
                                     "checked by the tuning");
  KernelTask const& task = model.kernel(kernel.kernel);
  return ProjectKernel{task.name, history.schedule().script(),
                       std::make_shared<nlohmann::ordered_json const>(history.to_json()),
                       fmt::format("{:016x}", task.hash)};
}

}  // namespace

Status write_tuned_project(LoadedModel const& model, TunedModel const& tuned,
                           std::string const& source, std::string const& shapes,
                           TuneRequest const& request, Backend const& backend,
                           std::filesystem::path const& file) {
  Project project;
  project.model.source = source;
  project.model.shapes = shapes;
  project.model.arrangement = arrangement_of(model);
  if (project.model.is_file())
    project.model.source = std::filesystem::absolute(source).lexically_normal().string();
  TRY(know_file(project.model, file));
  Hardware const& hardware = backend.target().hardware;
  int threads = request.options.threads > 0 ? request.options.threads : hardware.unit().count;
  std::string device = is_this_machine(request.device) ? kLocalDeviceName : request.device;
  TriedOn where{device, fmt::format("{}, {}", hardware.name, count_text(threads, "thread"))};
  for (TunedKernel const& kernel : tuned.kernels) {
    auto script = tuned.scripts.find(kernel.kernel);
    if (script == tuned.scripts.end()) continue;
    TRY_ASSIGN(ProjectKernel one, project_kernel(model, kernel, script->second, where, backend));
    project.kernels.push_back(std::move(one));
  }
  project.devices.push_back({device, backend.target().title});
  project.written_by = "tilewright " + request.build;
  project.saved = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return write_output(file, to_text(project));
}

}  // namespace tw::session
