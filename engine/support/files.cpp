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

Result<std::string> read_text(std::filesystem::path const& path, int64_t most) {
  TRY_ASSIGN(std::string text, read_file(path, most));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace tw
