// A model as it opens, or one that was shaped in a project.
#include <fmt/format.h>

#include <algorithm>

#include "engine/schedule/trace.h"
#include "engine/session/kinds.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/project/project.h"
#include "engine/session/use_cases.h"

namespace tw::session {
namespace {

namespace fs = std::filesystem;

Result<Model> with_all_own(Model model, Project const& project) {
  for (std::string const& text : project.own_kernels) {
    TRY_ASSIGN(model, with_own_kernel(model, text));
  }
  return model;
}

/// Where kernels stand elsewhere on this kind of devices than on the one that the project was saved
/// on.
void take_standings(LoadedModel const& model, Project const& project, Backend const& backend,
                    std::map<int, std::string>& scripts) {
  std::string const kind = kind_text(backend.target().hardware);
  auto const& kernels = model.plan.kernels;
  for (KindSchedule const& one : project.on_kinds) {
    auto found = std::ranges::find(kernels, one.kernel, &KernelTask::name);
    if (one.kind != kind || found == kernels.end()) continue;
    if (!one.computes.empty() && one.computes != computes_text(*found)) continue;
    int row = int(found - kernels.begin());
    scripts.erase(row);
    if (!one.script.empty()) scripts[row] = one.script;
  }
}

/// Nothing that somebody shaped is left out in silence: a kernel that is gone is an error.
Result<std::map<int, std::string>> scripts_in(LoadedModel const& model, Project const& project,
                                              std::string const& file) {
  std::map<int, std::string> scripts;
  auto const& kernels = model.plan.kernels;
  for (ProjectKernel const& kernel : project.kernels) {
    TRY_ASSIGN(Script script, parse_script(kernel.script, file));
    if (script.steps.empty()) continue;
    auto found = std::ranges::find(kernels, kernel.name, &KernelTask::name);
    if (found == kernels.end())
      return bad_input(
          "unknown_kernel",
          fmt::format("the project has a schedule for the kernel {}, which the model does not "
                      "have; --default takes the model without the project's schedules",
                      kernel.name),
          Place{file, 0, 0, {}});
    scripts[int(found - kernels.begin())] = kernel.script;
  }
  return scripts;
}

}  // namespace

Result<ShapedModel> shaped_model(std::string const& path, LoadOptions const& options,
                                 Backend const& backend, fs::path const& copies,
                                 ProjectSchedules schedules) {
  ShapedModel source;
  if (!path.ends_with(".twproj")) {
    TRY_ASSIGN(source.model, load_model(path, options, backend));
    return source;
  }
  TRY_ASSIGN(Project project, open_project(path));
  if (project.model.source.empty())
    return bad_input("model_missing", "the project has no model", Place{path, 0, 0, {}});
  FoundModel found = or_own_copy(find_model(project, path), project, copies);
  if (found.state == FoundModel::State::kMissing)
    return bad_input("model_missing", found.sentence, Place{path, 0, 0, {}});
  source.sentence = found.sentence;
  source.is_cut = !project.cut.empty();
  LoadOptions shaped = options;
  TRY_ASSIGN(auto shapes, parse_fixes(project.model.shapes));
  shaped.fixes.merge(shapes);
  if (shaped.arrangement.empty()) shaped.arrangement = project.model.arrangement;
  TRY_ASSIGN(source.model, load_arranged(found.source, shaped, backend, source.sentence));
  TRY_ASSIGN(source.model, with_all_own(source.model, project));
  if (schedules == ProjectSchedules::kKept) {
    TRY_ASSIGN(source.scripts, scripts_in(*source.model, project, path));
    take_standings(*source.model, project, backend, source.scripts);
  }
  return source;
}

}  // namespace tw::session
