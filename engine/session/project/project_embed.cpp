// The model inside of its project: for another machine, or another year.
#include <fmt/format.h>
#include <zstd.h>

#include "engine/importers/external_data.h"
#include "engine/session/project/project.h"
#include "engine/support/base64.h"
#include "engine/support/files.h"
#include "engine/support/relative_path.h"
#include "engine/support/sha256.h"

namespace tw::session {
namespace {

namespace fs = std::filesystem;

constexpr int kLevel = 6;  // weights hardly shrink: more effort gains nothing

Result<std::string> packed(std::string const& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size)) return environment_failed("not_packed", ZSTD_getErrorName(size));
  out.resize(size);
  return to_base64(out);
}

/// The size is known and bounded before anything is unpacked.
Result<std::string> unpacked(ProjectFile const& file) {
  auto broken = [&](std::string const& why) {
    return bad_input("broken_project",
                     fmt::format("the project's copy of {} is damaged: {}", file.name, why));
  };
  auto bytes = from_base64(file.packed);
  if (!bytes) return broken("it is not base64");
  if (file.bytes < 0 || file.bytes > kLargestEmbedded) return broken("its size is not possible");
  std::string content(size_t(file.bytes), '\0');
  size_t size = ZSTD_decompress(content.data(), content.size(), bytes->data(), bytes->size());
  if (ZSTD_isError(size) || size != content.size()) return broken("it cannot be decompressed");
  if (sha256(content) != file.sha256) return broken("its hash is wrong");
  return content;
}

}  // namespace

Result<std::vector<ProjectFile>> files_of_model(fs::path const& model, StopToken stop) {
  std::vector<ProjectFile> files;
  for (std::string const& name : external_files_of(model)) {
    fs::path path = model.parent_path() / name;
    std::error_code unknown;
    auto bytes = fs::file_size(path, unknown);
    TRY_ASSIGN(std::string hash, sha256_of_file(path, stop));
    files.push_back({name, hash, unknown ? 0 : int64_t(bytes), ""});
  }
  return files;
}

Status embed_model(Project& project) {
  ProjectModel& model = project.model;
  if (!model.is_file() || model.source.empty())
    return bad_input("nothing_to_embed", "a built-in model does not need a copy in its project");
  fs::path path = model.source;
  TRY_ASSIGN(model.files, files_of_model(path));
  std::vector<ProjectFile*> files;
  ProjectFile own{path.filename().string(), "", 0, ""};
  for (ProjectFile& file : model.files) files.push_back(&file);
  files.push_back(&own);
  int64_t total = 0;
  for (ProjectFile* file : files) {
    TRY_ASSIGN(std::string bytes, read_file(path.parent_path() / file->name, kLargestEmbedded));
    total += int64_t(bytes.size());
    if (total > kLargestEmbedded)
      return bad_input("model_too_large",
                       fmt::format("a model of over {} MB cannot be embedded in a project: keep "
                                   "its files beside the project instead",
                                   kLargestEmbedded >> 20));
    file->bytes = int64_t(bytes.size());
    file->sha256 = sha256(bytes);
    TRY_ASSIGN(file->packed, packed(bytes));
  }
  model.sha256 = own.sha256;
  model.bytes = own.bytes;
  model.packed = own.packed;
  return {};
}

Result<std::string> unpack_model(Project const& project, fs::path const& folder) {
  ProjectModel const& model = project.model;
  if (!model.embedded()) return bad_input("not_embedded", "the project has no copy of its model");
  fs::path home = folder / model.sha256.substr(0, 16);
  std::vector<ProjectFile> files = model.files;
  files.push_back({model.name(), model.sha256, model.bytes, model.packed});
  for (ProjectFile const& file : files) {
    // The name comes from a file that somebody else may have written.
    if (!stays_below(file.name))
      return bad_input(
          "broken_project",
          fmt::format("the project's copy of {} would be written outside its folder", file.name));
    fs::path path = home / file.name;
    if (auto there = sha256_of_file(path); there && *there == file.sha256) continue;
    TRY_ASSIGN(std::string content, unpacked(file));
    std::error_code ignored;  // writing says what is wrong
    fs::create_directories(path.parent_path(), ignored);
    TRY(write_file(path, content));
  }
  return (home / model.name()).string();
}

FoundModel or_own_copy(FoundModel found, Project const& project, fs::path const& folder) {
  using State = FoundModel::State;
  bool there = found.state == State::kFound || found.state == State::kMoved;
  if (there || !project.model.embedded()) return found;
  auto copy = unpack_model(project, folder);
  if (copy) return {State::kCopied, *copy, "the copy in the project is used: " + found.sentence};
  found.sentence += "; " + to_sentence(copy.error());
  return found;
}

}  // namespace tw::session
