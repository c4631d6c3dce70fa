// Files that appear whole or not at all.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/support/files.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDraftEnding = ".new";
constexpr int kMostLinks = 40;     // as many as the system follows
std::atomic<uint64_t> drafts = 0;  // only tells names apart

std::unexpected<Error> unwritable(fs::path const& path, std::string const& why) {
  return environment_failed("file_unwritable", "cannot be written: " + why,
                            Place{path.string(), 0, 0, {}});
}
std::unexpected<Error> unwritable(fs::path const& path, int code) {
  return unwritable(path, std::strerror(code));
}

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

Status write_all(int descriptor, std::string_view content, fs::path const& path) {
  while (!content.empty()) {
    ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return unwritable(path, errno);
    content.remove_prefix(size_t(written));
  }
  return {};
}

/// The file that is meant: what a link leads to, there or not.
Result<fs::path> followed(fs::path const& path) {
  fs::path at = path;
  std::error_code error;
  for (int i = 0; fs::is_symlink(at, error); ++i) {
    fs::path target = fs::read_symlink(at, error);
    if (error || i == kMostLinks) return unwritable(path, error ? error.value() : ELOOP);
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return at;
}

bool is_locked(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) != 0; }

bool has_proc() { return ::access("/proc/self/fd", X_OK) == 0; }

/// The new content before it has the file's name. Without a name of its own where the system knows
/// such files: a killed process leaves nothing then.
class DraftFile {
public:
  static Result<DraftFile> create(fs::path const& target, fs::path const& asked) {
    DraftFile draft;
    draft.path_ = target;
    draft.path_ += fmt::format(".{}.{}{}", ::getpid(), ++drafts, kDraftEnding);
    fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    // Such a file is given its name by way of /proc.
    if (has_proc()) draft.file_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    draft.named_ = draft.file_ < 0;
    if (draft.named_) {
      sweep_drafts(folder, target.filename().string());
      draft.file_ = ::open(draft.path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (draft.file_ < 0) return unwritable(asked, errno);
    (void)is_locked(draft.file_);  // from here on it is: nobody sweeps it away
    return draft;
  }
  DraftFile(DraftFile&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        file_(std::exchange(other.file_, -1)),
        named_(std::exchange(other.named_, false)) {}
  DraftFile& operator=(DraftFile&&) = delete;
  ~DraftFile() {
    if (named_) ::unlink(path_.c_str());
    if (file_ >= 0) ::close(file_);
  }

  int file() const { return file_; }

  /// Mode and owner of the file that it replaces.
  void look_like(struct stat const& old) {
    // A process that may not give files away keeps the draft's owner.
    if ((old.st_uid != ::geteuid() || old.st_gid != ::getegid()) &&
        ::fchown(file_, old.st_uid, old.st_gid) != 0)
      (void)::fchown(file_, uid_t(-1), old.st_gid);
    ::fchmod(file_, old.st_mode & 07777);
  }

  /// 0, or the system's reason.
  int take_name(fs::path const& target) {
    if (!named_) {
      std::string self = "/proc/self/fd/" + std::to_string(file_);
      ::unlink(path_.c_str());  // of a process that had this number before
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) != 0)
        return errno;
      named_ = true;
    }
    if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
    named_ = false;
    return 0;
  }

private:
  DraftFile() = default;
  fs::path path_;
  int file_ = -1;
  bool named_ = false;
};

Status write_in_place(fs::path const& path, std::string_view content) {
  Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (file.number < 0) return unwritable(path, errno);
  return write_all(file.number, content, path);
}

/// "NAME.PID.N.new", of any name when `name` is empty.
bool is_draft_of(std::string_view file, std::string_view name) {
  if (!file.ends_with(kDraftEnding)) return false;
  file.remove_suffix(kDraftEnding.size());
  for (int numbers = 0; numbers < 2; ++numbers) {
    size_t dot = file.rfind('.');
    if (dot == file.npos || dot + 1 == file.size() ||
        file.find_first_not_of("0123456789", dot + 1) != file.npos)
      return false;
    file = file.substr(0, dot);
  }
  return name.empty() || file == name;
}

}  // namespace

Status write_file(fs::path const& path, std::string_view content, Durability durability) {
  TRY_ASSIGN(fs::path target, followed(path));
  struct stat old {};
  bool there = ::stat(target.c_str(), &old) == 0;
  // A device or a pipe is written in place.
  if (there && !S_ISREG(old.st_mode)) return write_in_place(path, content);
  // Renaming over it would need no right to write it, and an administrator may write anything: who
  // took all such rights away meant something by it.
  if (there && (old.st_mode & 0222) == 0) return unwritable(path, "it is read-only");
  if (there && ::access(target.c_str(), W_OK) != 0) return unwritable(path, errno);
  TRY_ASSIGN(DraftFile draft, DraftFile::create(target, path));
  if (there) draft.look_like(old);  // before a word is in it: it may be a secret
  TRY(write_all(draft.file(), content, path));
  bool synced = durability == Durability::kFast || ::fsync(draft.file()) == 0 || errno == EINVAL ||
                errno == EROFS;
  if (!synced) return unwritable(path, errno);
  if (int reason = draft.take_name(target); reason != 0) return unwritable(path, reason);
  return {};
}

Status make_folder(fs::path const& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  return environment_failed("file_unwritable", "the folder cannot be created: " + error.message(),
                            Place{folder.string(), 0, 0, {}});
}

Status write_output(fs::path const& path, std::string_view content) {
  if (path.has_parent_path()) TRY(make_folder(path.parent_path()));
  return write_file(path, content);
}

void sweep_drafts(fs::path const& folder, std::string const& name) {
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(folder, ignored)) {
    if (!is_draft_of(entry.path().filename().string(), name)) continue;
    Descriptor file{::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    if (file.number >= 0 && !is_locked(file.number)) ::unlink(entry.path().c_str());
  }
}

}  // namespace tw
