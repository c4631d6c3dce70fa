/// A project: which model, and everything that was tried on its kernels, in one file that says by
/// itself what it is. The model stands by its path and the hash of its content, so that it is
/// found again after a move and a change is noticed; what cannot be used today is kept and said.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schedule/decisions.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"

namespace tw::session {

/// A file that the model keeps its weights in.
struct ProjectFile {
  std::string name;    ///< as the model writes it: below the model's folder
  std::string sha256;  ///< of its content
  int64_t bytes = 0;
  std::string packed;  ///< the content itself, zstd as base64; empty: not in the project
  bool operator==(ProjectFile const&) const = default;
};
struct ProjectModel {
  /// What `load_model` was given: a path, "sample:NAME" or "te:TEXT"; empty: no model.
  std::string source;
  std::string shapes;  ///< that its inputs were given: "x=1x3x48x192"; empty: the file's own
  std::string beside;  ///< the path from the project's folder; empty: never saved as a file
  std::string sha256;  ///< of the file's content; empty: a sample, or not known
  int64_t bytes = 0;
  std::vector<ProjectFile> files;  ///< beside the model's own
  std::string packed;              ///< as in ProjectFile
  Point arrangement = {};          ///< that it was given: see `arrangement_knobs`
  /// A device beside the one in use that has a say in its layouts; empty: none has.
  std::string accelerator = {};
  bool embedded() const { return !packed.empty(); }
  bool is_file() const { return !source.starts_with("sample:") && !source.starts_with("te:"); }
  std::string name() const {
    return source.starts_with("te:") ? "a kernel of your own"
                                     : std::filesystem::path(source).filename().string();
  }
};
struct ProjectKernel {
  std::string name;
  std::string script;  ///< of the current step: also readable without this program
  /// As History::to_json writes it; null: none.
  std::shared_ptr<nlohmann::ordered_json const> history;
  /// Of what the kernel computes, in hexadecimal digits: layouts make others of the same name.
  /// Empty: an earlier version, which did not say.
  std::string computes = {};
};
struct ProjectDevice {
  std::string name, target;
  bool operator==(ProjectDevice const&) const = default;
};
/// Where a kernel stands on a kind of devices.
struct KindSchedule {
  enum class At : uint8_t { kScript, kRule, kPlain };
  std::string kernel;
  std::string kind;     ///< only to be compared
  std::string machine;  ///< the same in words
  /// As of ProjectKernel: the layouts of one kind make another kernel of the same name; empty: any.
  std::string computes = {};
  At at = At::kScript;
  std::string script;    ///< empty unless it stands at one
  std::string device;    ///< that it was timed on; empty: it was not
  std::string hardware;  ///< of that device, as histories name it
  double ms = 0;         ///< 0: not known
  std::string note;      ///< where it came from: "the tuning of the model on board"
  bool operator==(KindSchedule const&) const = default;
};
/// From this node on the model runs on that device.
struct ProjectCut {
  std::string node, device;
  bool operator==(ProjectCut const&) const = default;
};
struct Project {
  ProjectModel model;
  std::string kernel;  ///< the one that was chosen
  std::vector<ProjectKernel> kernels;
  std::vector<std::string>
      own_kernels;                     ///< tensor expressions that the user wrote beside the model
  std::vector<ProjectCut> cut;         ///< of the model over devices; empty: none
  std::vector<KindSchedule> on_kinds;  ///< of kernels that were searched for on several kinds
  std::vector<ProjectDevice> devices;  ///< where its times were measured
  /// How the window looked: only the window knows these words.
  std::map<std::string, std::string> window;
  std::string written_by;  ///< program and version
  std::string saved;       ///< "2026-11-21T14:08:35Z"
};

/// The model's path from the project's folder, where it lies below or beside it; empty: there is
/// none.
std::string path_beside(std::string const& model, std::filesystem::path const& project_file);

constexpr int kProjectVersion = 1;
constexpr int64_t kLargestProject = int64_t(1) << 30;  // bytes
constexpr int64_t kLargestEmbedded = 640 << 20;        // bytes, before they are packed

/// Errors: not_a_project, unknown_version (newer than this program), broken_project.
Result<Project> parse_project(std::string_view text, std::string const& file = "");
std::string to_text(Project const& project);
/// Errors: those of `parse_project`, file_unreadable, file_too_large.
Result<Project> open_project(std::filesystem::path const& file);

struct FoundModel {
  /// kMissing also where only the files of its weights are.
  /// kCopied: the project's own copy.
  enum class State : uint8_t { kFound, kMoved, kChanged, kMissing, kCopied } state = State::kFound;
  std::string source;    ///< what to load; of a missing model what was stored
  std::string sentence;  ///< unless it was found where it was
};
/// Looks where the model was, then beside the project: by its path from there, by its name, and by
/// its content among files with its ending. Reads whole files: not for a window's thread.
FoundModel find_model(Project const& project, std::filesystem::path const& project_file,
                      StopToken stop = {});

/// The files that a model keeps its weights in, with their hashes. Errors: those of reading them.
Result<std::vector<ProjectFile>> files_of_model(std::filesystem::path const& model,
                                                StopToken stop = {});
/// Puts the model and its files into the project. Errors: nothing_to_embed, model_too_large, those
/// of reading.
Status embed_model(Project& project);
/// Writes the project's copy below `folder`, where it is not there yet; the path of the model.
/// Errors: not_embedded, broken_project, those of writing.
Result<std::string> unpack_model(Project const& project, std::filesystem::path const& folder);
/// Where the model is missing or another one by now, the project's own copy, unpacked below
/// `folder`; what was found where there is none.
FoundModel or_own_copy(FoundModel found, Project const& project,
                       std::filesystem::path const& folder);

/// What stands in a project about one kernel.
struct ProjectKernelSummary {
  std::string name;
  int steps = 0;  ///< of the history, without the plain nest
  struct Times {
    std::string device, machine;  ///< empty: an earlier version, which did not say
    double best_ms = 0;           ///< 0: nothing was measured there
    double plain_ms = 0;
  };
  std::vector<Times> times;  ///< for each device that steps were measured on
  std::vector<std::string> notes;
};
std::vector<ProjectKernelSummary> summary_of(Project const& project);

}  // namespace tw::session
