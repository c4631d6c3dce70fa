#include "engine/package/export_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>
#include <vector>

#include "engine/runtime/package/checksum.h"
#include "engine/support/files.h"
#include "engine/support/relative_path.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

constexpr char kFirstLine[] = "tilewright export 1";
constexpr int64_t kMostBytes = 16 << 20;  // of a list

/// Made from example.cpp by a line that its head names.
constexpr char kBuiltProgram[] = "example";

std::unexpected<Error> unreadable(fs::path const& path) {
  return environment_failed("file_unreadable", "cannot be read", Place{path.string(), 0, 0, {}});
}

/// "SIZE CHECKSUM" of a file, "-> TARGET" of a link.
Result<std::string> mark_of(fs::path const& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) return "-> " + fs::read_symlink(path, error).string();
  if (!fs::is_regular_file(path, error)) return "no file";
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(path);
  std::vector<char> piece(size_t(1) << 20);
  Checksum checksum;
  int64_t size = 0;
  while (file.read(piece.data(), std::streamsize(piece.size())) || file.gcount() > 0) {
    checksum.add(std::as_bytes(std::span(piece.data(), size_t(file.gcount()))));
    size += file.gcount();
  }
  if (file.bad()) return unreadable(path);
  return fmt::format("{} {:016x}", size, checksum.finish());
}

bool is_above_one(ExportList const& list, std::string const& name) {
  auto next = list.lower_bound(name + "/");
  return next != list.end() && next->first.starts_with(name + "/");
}

bool is_real_folder(fs::path const& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

}  // namespace

Result<ExportList> list_of(fs::path const& folder) {
  ExportList list;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().lexically_relative(folder).string();
    if (name == kExportList || is_real_folder(at->path())) continue;
    TRY_ASSIGN(list[name], mark_of(at->path()));
  }
  if (error) return unreadable(folder);
  return list;
}

std::string stranger_in(fs::path const& folder, ExportList const& list) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().lexically_relative(folder).string();
    if (name == kExportList) continue;
    auto listed = list.find(name);
    bool known = is_real_folder(at->path()) ? is_above_one(list, name) : listed != list.end();
    if (!known) return fmt::format("contains {}, which the earlier export did not write", name);
    if (listed == list.end() || name == kBuiltProgram) continue;
    auto mark = mark_of(at->path());
    if (!mark) return fmt::format("contains {}, which cannot be read", name);
    if (*mark != listed->second)
      return fmt::format("contains {}, which was changed after the earlier export", name);
  }
  return error ? "cannot be listed: " + error.message() : "";
}

std::string to_text(ExportList const& list) {
  std::string text = fmt::format(
      "{}\n# What the export wrote here, with sizes and checksums: a later export into this "
      "folder\n"
      "# replaces these files, and refuses where there is anything else.\n",
      kFirstLine);
  for (auto const& [name, mark] : list) text += fmt::format("{}\t{}\n", name, mark);
  return text;
}

std::optional<ExportList> read_list(fs::path const& folder) {
  auto text = read_file(folder / kExportList, kMostBytes);
  if (!text) return {};
  std::istringstream lines(*text);
  std::string line;
  if (!std::getline(lines, line) || line != kFirstLine) return {};
  ExportList list;
  while (std::getline(lines, line)) {
    size_t tab = line.find('\t');
    if (line.starts_with('#') || tab == line.npos) continue;
    std::string name = line.substr(0, tab);
    if (stays_below(name)) list[name] = line.substr(tab + 1);
  }
  return list;
}

void remove_listed(fs::path const& folder, ExportList const& list) {
  std::error_code ignored;
  std::vector<fs::path> folders;
  for (auto const& [name, mark] : list) {
    fs::path file = folder / name;
    if (!is_real_folder(file)) fs::remove(file, ignored);
    for (fs::path above = fs::path(name).parent_path(); !above.empty(); above = above.parent_path())
      folders.push_back(folder / above);
  }
  fs::remove(folder / kExportList, ignored);
  folders.push_back(folder);
  // The deepest first; what is not empty stays.
  std::ranges::sort(folders, std::ranges::greater());
  for (fs::path const& one : folders)
    if (is_real_folder(one)) fs::remove(one, ignored);
}

}  // namespace tw
