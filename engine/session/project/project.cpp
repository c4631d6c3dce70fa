#include "engine/session/project/project.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "engine/support/files.h"
#include "engine/support/relative_path.h"

namespace tw::session {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kKind[] = "tilewright project";
constexpr int kDeepest = 24;  // levels of lists in lists: ours are seven

std::unexpected<Error> broken(std::string const& file, std::string const& what) {
  return bad_input("broken_project", "the project is damaged: " + what, Place{file, 0, 0, {}});
}

/// Copying and printing go down recursively: nothing deeper may come in.
bool is_deeper(Json const& json, int levels) {
  if (!json.is_structured()) return false;
  if (levels == 0) return true;
  return std::any_of(json.begin(), json.end(),
                     [&](Json const& part) { return is_deeper(part, levels - 1); });
}

/// A member that is text, or empty; false when it is something else.
bool read_text(Json const& json, char const* key, std::string& into) {
  auto found = json.find(key);
  if (found == json.end()) return true;
  if (!found->is_string()) return false;
  into = found->get<std::string>();
  return true;
}

bool is_hash(std::string const& text) {
  return text.empty() ||
         (text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos);
}

int64_t bytes_in(Json const& json) {
  auto bytes = json.find("bytes");
  bool known = bytes != json.end() && bytes->is_number_unsigned() &&
               bytes->get<uint64_t>() < (uint64_t(1) << 62);
  return known ? bytes->get<int64_t>() : 0;
}

Status read_files(Json const& json, std::vector<ProjectFile>& files, std::string const& file) {
  if (!json.is_array()) return broken(file, "the files of its model are not a list");
  for (Json const& entry : json) {
    ProjectFile one;
    if (!entry.is_object() || !read_text(entry, "name", one.name) ||
        !read_text(entry, "sha256", one.sha256) || !read_text(entry, "packed", one.packed) ||
        !stays_below(one.name) || !is_hash(one.sha256))
      return broken(file, fmt::format("file {} of its model is not valid", files.size() + 1));
    one.bytes = bytes_in(entry);
    files.push_back(std::move(one));
  }
  return {};
}

Status read_arrangement(Json const& json, Point& arrangement, std::string const& file) {
  if (!json.is_object()) return broken(file, "the arrangement of its model is not a list of words");
  for (auto const& [knob, value] : json.items()) {
    if (!value.is_string())
      return broken(file, fmt::format("'{}' of its model's arrangement is not a word", knob));
    arrangement[knob] = value.get<std::string>();
  }
  return {};
}

Status read_model(Json const& json, ProjectModel& model, std::string const& file) {
  if (!json.is_object()) return broken(file, "it does not name its model");
  for (auto [key, into] : {std::pair{"source", &model.source},
                           {"beside", &model.beside},
                           {"sha256", &model.sha256},
                           {"shapes", &model.shapes},
                           {"accelerator", &model.accelerator}})
    if (!read_text(json, key, *into))
      return broken(file, fmt::format("'{}' of its model is not a string", key));
  model.bytes = bytes_in(json);
  if (!is_hash(model.sha256)) return broken(file, "the hash of its model is not valid");
  if (!read_text(json, "packed", model.packed))
    return broken(file, "its copy of the model is not a string");
  if (json.contains("arrangement"))
    TRY(read_arrangement(json["arrangement"], model.arrangement, file));
  return json.contains("files") ? read_files(json["files"], model.files, file) : Status();
}

Status read_kernels(Json const& json, std::vector<ProjectKernel>& kernels,
                    std::string const& file) {
  if (!json.is_array()) return broken(file, "its kernels are not a list");
  for (Json const& entry : json) {
    ProjectKernel kernel;
    if (!entry.is_object() || !read_text(entry, "name", kernel.name) ||
        !read_text(entry, "script", kernel.script) ||
        !read_text(entry, "computes", kernel.computes) || kernel.name.empty())
      return broken(file, fmt::format("kernel {} has no name", kernels.size()));
    if (!entry.contains("history") || !entry["history"].is_object())
      return broken(file, fmt::format("kernel {} has no history", kernel.name));
    kernel.history = std::make_shared<Json const>(entry["history"]);
    kernels.push_back(std::move(kernel));
  }
  return {};
}

Status read_own_kernels(Json const& json, Project& project, std::string const& file) {
  if (!json.is_array()) return broken(file, "its own kernels are not a list");
  for (Json const& text : json) {
    if (!text.is_string()) return broken(file, "one of its own kernels is not a string");
    project.own_kernels.push_back(text.get<std::string>());
  }
  return {};
}

Status read_cut(Json const& json, Project& project, std::string const& file) {
  if (!json.is_array()) return broken(file, "its cut is not a list");
  for (Json const& entry : json) {
    ProjectCut point;
    if (!entry.is_object() || !read_text(entry, "node", point.node) ||
        !read_text(entry, "device", point.device) || point.node.empty() || point.device.empty())
      return broken(file, "a point of its cut has no node or no device");
    project.cut.push_back(std::move(point));
  }
  return {};
}

constexpr std::array<char const*, 3> kStands = {"script", "default",
                                                "plain"};  // by KindSchedule::At

Status read_on_kinds(Json const& json, Project& project, std::string const& file) {
  if (!json.is_array()) return broken(file, "its schedules for other devices are not a list");
  for (Json const& entry : json) {
    KindSchedule one;
    std::string at;
    bool words = entry.is_object() && read_text(entry, "at", at);
    for (auto [key, into] :
         {std::pair{"kernel", &one.kernel}, std::pair{"kind", &one.kind},
          std::pair{"machine", &one.machine}, std::pair{"computes", &one.computes},
          std::pair{"script", &one.script}, std::pair{"device", &one.device},
          std::pair{"hardware", &one.hardware}, std::pair{"note", &one.note}})
      words = words && read_text(entry, key, *into);
    if (at == "rule") at = "default";  // its former word
    auto stands = std::ranges::find(kStands, at);
    if (!words || one.kernel.empty() || one.kind.empty() || stands == kStands.end())
      return broken(file,
                    "a schedule for other devices has no kernel, device type or current state");
    one.at = KindSchedule::At(stands - kStands.begin());
    if (auto ms = entry.find("ms"); ms != entry.end() && ms->is_number())
      one.ms = std::max(0.0, ms->get<double>());
    project.on_kinds.push_back(std::move(one));
  }
  return {};
}

Json to_json(KindSchedule const& one) {
  Json json = {{"kernel", one.kernel},
               {"kind", one.kind},
               {"machine", one.machine},
               {"at", kStands[size_t(one.at)]}};
  for (auto [key, words] : {std::pair{"computes", &one.computes}, std::pair{"script", &one.script},
                            std::pair{"device", &one.device}, std::pair{"hardware", &one.hardware},
                            std::pair{"note", &one.note}})
    if (!words->empty()) json[key] = *words;
  if (one.ms > 0) json["ms"] = one.ms;
  return json;
}

Status read_rest(Json const& json, Project& project, std::string const& file) {
  for (auto [key, into] : {std::pair{"kernel", &project.kernel},
                           {"written_by", &project.written_by},
                           {"saved", &project.saved}})
    if (!read_text(json, key, *into)) return broken(file, fmt::format("'{}' is not a string", key));
  if (auto devices = json.find("devices"); devices != json.end()) {
    if (!devices->is_array()) return broken(file, "its devices are not a list");
    for (Json const& entry : *devices) {
      ProjectDevice device;
      if (!entry.is_object() || !read_text(entry, "name", device.name) ||
          !read_text(entry, "target", device.target))
        return broken(file, "one of its devices has no name");
      project.devices.push_back(std::move(device));
    }
  }
  if (auto window = json.find("window"); window != json.end()) {
    if (!window->is_object()) return broken(file, "its window state is not a list of words");
    for (auto const& [key, value] : window->items())
      if (value.is_string()) project.window[key] = value.get<std::string>();
  }
  return {};
}

Status check_kind(Json const& json, std::string const& file) {
  std::string kind;
  if (!json.is_object() || !read_text(json, "kind", kind) || kind != kKind)
    return bad_input("not_a_project", "this is not a Tilewright project", Place{file, 0, 0, {}});
  auto version = json.find("version");
  if (version == json.end() || !version->is_number_unsigned())
    return broken(file, "its version is missing");
  if (version->get<uint64_t>() <= uint64_t(kProjectVersion)) return {};
  std::string writer;
  (void)read_text(json, "written_by", writer);
  return bad_input(
      "unknown_version",
      fmt::format("the project has version {}{}; this version of Tilewright reads up to version {}",
                  version->get<uint64_t>(), writer.empty() ? "" : ", written by " + writer,
                  kProjectVersion),
      Place{file, 0, 0, {}});
}

}  // namespace

Result<Project> parse_project(std::string_view text, std::string const& file) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return bad_input("not_a_project",
                     text.starts_with("{")
                         ? "the project cannot be read: it is truncated or damaged"
                         : "this is not a Tilewright project",
                     Place{file, 0, 0, {}});
  if (is_deeper(json, kDeepest)) return broken(file, "its lists are nested too deeply");
  TRY(check_kind(json, file));
  Project project;
  if (json.contains("model")) TRY(read_model(json["model"], project.model, file));
  if (json.contains("kernels")) TRY(read_kernels(json["kernels"], project.kernels, file));
  if (json.contains("own_kernels")) TRY(read_own_kernels(json["own_kernels"], project, file));
  if (json.contains("cut")) TRY(read_cut(json["cut"], project, file));
  if (json.contains("on_kinds")) TRY(read_on_kinds(json["on_kinds"], project, file));
  TRY(read_rest(json, project, file));
  return project;
}

std::string to_text(Project const& project) {
  Json json = {{"kind", kKind},
               {"version", kProjectVersion},
               {"written_by", project.written_by},
               {"saved", project.saved}};
  if (!project.model.source.empty()) {
    json["model"] = {{"source", project.model.source}};
    if (!project.model.shapes.empty()) json["model"]["shapes"] = project.model.shapes;
    if (!project.model.beside.empty()) json["model"]["beside"] = project.model.beside;
    if (!project.model.sha256.empty()) json["model"]["sha256"] = project.model.sha256;
    if (project.model.bytes > 0) json["model"]["bytes"] = project.model.bytes;
    for (ProjectFile const& file : project.model.files) {
      Json entry = {{"name", file.name}, {"sha256", file.sha256}, {"bytes", file.bytes}};
      if (!file.packed.empty()) entry["packed"] = file.packed;
      json["model"]["files"].push_back(std::move(entry));
    }
    if (!project.model.arrangement.empty())
      json["model"]["arrangement"] = project.model.arrangement;
    if (!project.model.accelerator.empty())
      json["model"]["accelerator"] = project.model.accelerator;
    if (project.model.embedded()) json["model"]["packed"] = project.model.packed;
  }
  json["kernel"] = project.kernel;
  json["kernels"] = Json::array();
  for (ProjectKernel const& kernel : project.kernels) {
    Json entry = {{"name", kernel.name}, {"script", kernel.script}};
    if (!kernel.computes.empty()) entry["computes"] = kernel.computes;
    if (kernel.history) entry["history"] = *kernel.history;
    json["kernels"].push_back(std::move(entry));
  }
  if (!project.own_kernels.empty()) json["own_kernels"] = project.own_kernels;
  for (ProjectCut const& point : project.cut)
    json["cut"].push_back({{"node", point.node}, {"device", point.device}});
  for (KindSchedule const& one : project.on_kinds) json["on_kinds"].push_back(to_json(one));
  json["devices"] = Json::array();
  for (ProjectDevice const& device : project.devices)
    json["devices"].push_back({{"name", device.name}, {"target", device.target}});
  json["window"] = Json::object();
  for (auto const& [key, value] : project.window) json["window"][key] = value;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Project> open_project(std::filesystem::path const& file) {
  TRY_ASSIGN(std::string text, read_file(file, kLargestProject));
  return parse_project(text, file.string());
}

namespace {

/// One trial, or a node of an earlier version, which held the only one itself.
void add_times(Json const& trial, bool plain, ProjectKernelSummary& summary) {
  auto measured = trial.find("measured");
  if (measured == trial.end() || !measured->is_object() || !measured->contains("min_ms") ||
      !(*measured)["min_ms"].is_number())
    return;
  std::string device, machine;
  (void)read_text(trial, "device", device);
  (void)read_text(trial, "machine", machine);
  auto same = [&](auto const& one) { return one.device == device && one.machine == machine; };
  auto found = std::find_if(summary.times.begin(), summary.times.end(), same);
  if (found == summary.times.end())
    found = summary.times.insert(found, ProjectKernelSummary::Times{device, machine, 0, 0});
  double ms = (*measured)["min_ms"].get<double>();
  if (plain) found->plain_ms = ms;
  if (ms > 0 && (found->best_ms == 0 || ms < found->best_ms)) found->best_ms = ms;
}

void add_node(Json const& node, bool plain, ProjectKernelSummary& summary) {
  std::string note;
  if (!node.is_object()) return;
  if (read_text(node, "note", note) && !note.empty()) summary.notes.push_back(note);
  auto trials = node.find("trials");
  if (trials == node.end()) return add_times(node, plain, summary);
  if (!trials->is_array()) return;
  for (Json const& trial : *trials)
    if (trial.is_object()) add_times(trial, plain, summary);
}

}  // namespace

std::vector<ProjectKernelSummary> summary_of(Project const& project) {
  std::vector<ProjectKernelSummary> list;
  for (ProjectKernel const& kernel : project.kernels) {
    ProjectKernelSummary one;
    one.name = kernel.name;
    bool known = kernel.history && kernel.history->contains("nodes");
    if (known && (*kernel.history)["nodes"].is_array()) {
      Json const& nodes = (*kernel.history)["nodes"];
      one.steps = std::max(0, int(nodes.size()) - 1);
      for (size_t i = 0; i < nodes.size(); ++i) add_node(nodes[i], i == 0, one);
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace tw::session
