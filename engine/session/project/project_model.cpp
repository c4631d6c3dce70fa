// Where a project's model is today.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/session/project/project.h"
#include "engine/support/sha256.h"

namespace tw::session {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 2000;  // of the project's folder that are looked at

/// Likely places first; the files of the folder only where their size is the model's.
std::vector<fs::path> candidates(ProjectModel const& model, fs::path const& folder) {
  std::vector<fs::path> places = {fs::path(model.source)};
  if (!model.beside.empty()) places.push_back(folder / model.beside);
  places.push_back(folder / model.name());
  std::error_code ignored;
  size_t seen = 0;
  std::vector<fs::path> others;
  for (auto const& entry : fs::directory_iterator(folder, ignored)) {
    if (++seen > kMostFiles) break;
    if (entry.path().extension() == fs::path(model.source).extension() && !model.sha256.empty() &&
        entry.is_regular_file(ignored) && int64_t(entry.file_size(ignored)) == model.bytes)
      others.push_back(entry.path());
  }
  std::sort(others.begin(), others.end());
  places.insert(places.end(), others.begin(), others.end());
  return places;
}

std::string short_hash(std::string const& sha256) {
  return sha256.empty() ? "" : fmt::format(", SHA-256 {}…", sha256.substr(0, 12));
}

/// What is wrong with the weights beside a model that is the right one; empty: nothing.
struct WeightsState {
  std::string missing, changed;
};
WeightsState weights_of(ProjectModel const& model, fs::path const& place, StopToken stop) {
  WeightsState state;
  for (ProjectFile const& file : model.files) {
    auto hash = sha256_of_file(place.parent_path() / file.name, stop);
    if (!hash && state.missing.empty()) state.missing = file.name;
    if (hash && *hash != file.sha256 && state.changed.empty()) state.changed = file.name;
  }
  return state;
}

}  // namespace

std::string path_beside(std::string const& model, fs::path const& project_file) {
  std::error_code failed;
  fs::path folder = fs::absolute(project_file, failed).parent_path();
  fs::path path = fs::relative(model, folder, failed);
  return failed ? "" : path.string();
}

FoundModel find_model(Project const& project, fs::path const& project_file, StopToken stop) {
  using State = FoundModel::State;
  ProjectModel const& model = project.model;
  if (!model.is_file() || model.source.empty()) return {State::kFound, model.source, ""};
  std::error_code ignored;
  fs::path folder = fs::absolute(project_file, ignored).parent_path(), changed, loadable, without;
  std::string lacking;
  std::set<fs::path> tried;
  for (fs::path const& place : candidates(model, folder)) {
    if (!fs::is_regular_file(place, ignored) ||
        !tried.insert(fs::weakly_canonical(place, ignored)).second)
      continue;
    auto hash = sha256_of_file(place, stop);
    if (!hash) continue;
    if (model.sha256.empty() || *hash == model.sha256) {
      WeightsState weights = weights_of(model, place, stop);
      if (!weights.missing.empty()) {
        if (without.empty()) without = place, lacking = weights.missing;
        continue;
      }
      if (!weights.changed.empty()) {
        if (changed.empty()) changed = place.parent_path() / weights.changed, loadable = place;
        continue;
      }
      if (place == fs::path(model.source)) return {State::kFound, model.source, ""};
      return {State::kMoved, place.string(),
              fmt::format("the model was found at {}", place.string())};
    }
    if (changed.empty()) changed = loadable = place;
  }
  if (!changed.empty())
    return {
        State::kChanged, loadable.string(),
        fmt::format("the {} {} changed since the project was saved: only the histories of "
                    "unchanged kernels are kept",
                    changed == loadable ? fmt::format("model {}", changed.string())
                                        : fmt::format("weights {} of the model", changed.string()),
                    changed == loadable ? "has" : "have")};
  if (!without.empty())
    return {State::kMissing, model.source,
            fmt::format("the weights {} of the model {} are missing: put them beside the model",
                        lacking, without.string())};
  return {State::kMissing, model.source,
          fmt::format("the model {} is missing: it was at {}{}", model.name(), model.source,
                      short_hash(model.sha256))};
}

}  // namespace tw::session
