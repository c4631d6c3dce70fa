#include "engine/support/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tw {
namespace {

/// Closes when it leaves the scope.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

std::unexpected<Error> unreadable(std::filesystem::path const& path, int code) {
  return bad_input("file_unreadable", fmt::format("cannot be read: {}", std::strerror(code)),
                   Place{path.string(), 0, 0, {}});
}

std::unexpected<Error> unwritable(std::filesystem::path const& path, int code) {
  return environment_failed("file_unwritable",
                            fmt::format("cannot be written: {}", std::strerror(code)),
                            Place{path.string(), 0, 0, {}});
}

Status write_all(int descriptor, std::string_view content, std::filesystem::path const& path) {
  while (!content.empty()) {
    ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return unwritable(path, errno);
    content.remove_prefix(size_t(written));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(std::filesystem::path const& path, int64_t most) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) return unreadable(path, errno);
  struct stat info {};
  if (::fstat(file.number, &info) != 0) return unreadable(path, errno);
  if (S_ISDIR(info.st_mode)) return unreadable(path, EISDIR);
  if (info.st_size > most)
    return bad_input(
        "file_too_large",
        fmt::format("has {} bytes, more than the {} that are read", info.st_size, most),
        Place{path.string(), 0, 0, {}});
  std::string content;
  content.reserve(size_t(std::max<off_t>(info.st_size, 0)));
  char chunk[1 << 16];
  while (true) {  // not trusted to its stated size: it may be a pipe, or grow
    ssize_t got = ::read(file.number, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, errno);
    if (got == 0) return content;
    content.append(chunk, size_t(got));
    if (int64_t(content.size()) > most)
      return bad_input("file_too_large",
                       fmt::format("has more than the {} bytes that are read", most),
                       Place{path.string(), 0, 0, {}});
  }
}

Status write_file(std::filesystem::path const& path, std::string_view content) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    // A device or a pipe is written in place.
    Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (file.number < 0) return unwritable(path, errno);
    return write_all(file.number, content, path);
  }
  std::filesystem::path beside = path;
  beside += fmt::format(".{}.new", ::getpid());
  Descriptor file{::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  if (file.number < 0) return unwritable(path, errno);
  Status status = write_all(file.number, content, path);
  if (status && ::fsync(file.number) != 0 && errno != EINVAL && errno != EROFS)
    status = unwritable(path, errno);
  if (status && ::rename(beside.c_str(), path.c_str()) != 0) status = unwritable(path, errno);
  if (!status) ::unlink(beside.c_str());
  return status;
}

}  // namespace tw
