#include "engine/package/export_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "engine/package/export_list.h"
#include "engine/support/files.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".part";
constexpr int kMostTries = 100;
std::atomic<uint64_t> drafts = 0;  // only tells names apart

std::unexpected<Error> unwritable(fs::path const& path, std::string const& what, int code) {
  return environment_failed("file_unwritable", fmt::format("{}: {}", what, std::strerror(code)),
                            Place{path.string(), 0, 0, {}});
}

std::unexpected<Error> in_use(fs::path const& folder, std::string const& why) {
  return bad_input("folder_in_use", why, Place{folder.string(), 0, 0, {}});
}

/// The folder that is meant: links are followed, so that one stays a link.
fs::path resolved(fs::path const& folder) {
  std::error_code ignored;
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  fs::path real = fs::weakly_canonical(path, ignored);
  return ignored ? path : real;
}

/// Held by whoever writes the draft, for as long as its process lives; -1: somebody has it, or it
/// is gone.
int lock_of(fs::path const& draft) {
  int lock = ::open(draft.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  struct stat opened {
  }, named{};
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0 && ::fstat(lock, &opened) == 0 &&
      ::lstat(draft.c_str(), &named) == 0 && opened.st_ino == named.st_ino)
    return lock;
  if (lock >= 0) ::close(lock);
  return -1;
}

/// A draft whose process ended while it wrote its first list holds no more than that one's draft.
void remove_unlisted(fs::path const& folder) {
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(std::string(kExportList) + "."))
      fs::remove(entry.path(), ignored);
  fs::remove(folder, ignored);  // an empty one
}

/// What a draft or an earlier export holds; what else somebody put there stays.
void remove_export(fs::path const& folder) {
  std::error_code ignored;
  auto list = read_list(folder);
  if (list && list->empty())
    fs::remove_all(folder, ignored);  // a draft: the process that wrote it made no list of it
  else if (list)
    remove_listed(folder, *list);
  else
    remove_unlisted(folder);
}

/// "NAME.PID.N.part"
bool is_draft_of(std::string_view file, std::string_view name) {
  if (!file.starts_with(name) || !file.ends_with(kEnding)) return false;
  file.remove_prefix(name.size());
  file.remove_suffix(std::min(file.size(), kEnding.size()));
  return file.starts_with('.') && file.find_first_not_of("0123456789.") == file.npos;
}

/// Whether the process that began the draft "NAME.PID.N.part" has ended.
bool is_left(std::string_view file, std::string_view name) {
  file.remove_prefix(name.size() + 1);
  pid_t pid = 0;
  std::from_chars(file.data(), file.data() + file.size(), pid);
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

/// A child that was being started when its process was killed has the lock, too, until it is
/// another program: a moment.
int lock_of_left(fs::path const& draft, std::string_view name) {
  int lock = lock_of(draft);
  for (int i = 0; i < kMostTries && lock < 0 && is_left(draft.filename().string(), name); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    lock = lock_of(draft);
  }
  return lock;
}

void sweep(fs::path const& folder) {
  std::error_code ignored;
  std::string name = folder.filename().string();
  for (auto const& entry : fs::directory_iterator(folder.parent_path(), ignored)) {
    if (!is_draft_of(entry.path().filename().string(), name)) continue;
    int lock = lock_of_left(entry.path(), name);
    if (lock < 0) continue;
    remove_export(entry.path());
    ::close(lock);
  }
}

/// A new folder and its lock. A sweeper may come between the two: then again.
Result<std::pair<fs::path, int>> new_draft(fs::path const& folder) {
  for (int i = 0; i < kMostTries; ++i) {
    fs::path path = folder;
    path += fmt::format(".{}.{}{}", ::getpid(), ++drafts, kEnding);
    if (::mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      return unwritable(folder, "cannot be created", errno);
    }
    if (int lock = lock_of(path); lock >= 0) return std::pair{path, lock};
  }
  return unwritable(folder, "no temporary folder for it can be created", EEXIST);
}

/// At once where the system can exchange two folders; `from` then holds what was there before.
int exchange(fs::path const& from, fs::path const& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  fs::path old = from;
  old += ".old";
  if (::rename(to.c_str(), old.c_str()) != 0) return errno;
  int reason = ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
  (void)::rename(old.c_str(), reason == 0 ? from.c_str() : to.c_str());
  return reason;
}

}  // namespace

Status check_folder(fs::path const& folder) {
  std::error_code ignored;
  if (folder.empty()) return bad_input("folder_in_use", "no folder was given");
  if (!fs::exists(folder, ignored)) return {};
  bool is_folder = fs::is_directory(folder, ignored);
  if (is_folder && fs::is_empty(folder, ignored)) return {};
  auto list = is_folder ? read_list(folder) : std::nullopt;
  if (!list)
    return in_use(folder, "exists but is not an exported model; choose a new or an empty folder");
  std::string stranger = stranger_in(folder, *list);
  if (stranger.empty()) return {};
  return in_use(folder, stranger + ": remove it, or choose another folder");
}

ExportDraft::ExportDraft(fs::path folder, fs::path path, int lock)
    : folder_(std::move(folder)), path_(std::move(path)), lock_(lock) {}

ExportDraft::ExportDraft(ExportDraft&& other) noexcept
    : folder_(std::move(other.folder_)),
      path_(std::exchange(other.path_, {})),
      lock_(std::exchange(other.lock_, -1)) {}

ExportDraft::~ExportDraft() {
  if (!path_.empty()) remove_export(path_);
  if (lock_ >= 0) ::close(lock_);
}

Result<ExportDraft> ExportDraft::create(fs::path const& named) {
  fs::path folder = resolved(named);
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (error) return unwritable(folder.parent_path(), "cannot be created", error.value());
  sweep(folder);
  TRY_ASSIGN(auto made, new_draft(folder));
  ExportDraft draft(folder, made.first, made.second);
  if (Status written = write_file(draft.path_ / kExportList, to_text(ExportList())); !written)
    return std::unexpected(draft.as_named(written.error()));
  return draft;
}

Error ExportDraft::as_named(Error error) const {
  std::string& file = error.place.file;
  if (!path_.empty() && file.starts_with(path_.string()))
    file.replace(0, path_.string().size(), folder_.string());
  return error;
}

Status ExportDraft::publish() {
  TRY_ASSIGN(ExportList list, list_of(path_));
  TRY(write_file(path_ / kExportList, to_text(list)));
  TRY(check_folder(folder_));  // somebody may have put something there meanwhile
  std::error_code ignored;
  bool replaces = fs::exists(folder_, ignored);
  int reason = replaces                                        ? exchange(path_, folder_)
               : ::rename(path_.c_str(), folder_.c_str()) == 0 ? 0
                                                               : errno;
  if (reason != 0) return unwritable(folder_, "cannot be written", reason);
  if (replaces) remove_export(path_);
  path_.clear();
  return {};
}

}  // namespace tw
