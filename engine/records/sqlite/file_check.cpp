#include "engine/records/sqlite/file_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace tw::records {
namespace {

namespace fs = std::filesystem;

/// "The Database Header" in SQLite's description of its file format; a page has at least 512 bytes.
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr off_t kSmallestPage = 512;

std::unexpected<Error> unwritable(fs::path const& path, std::string const& why) {
  return environment_failed("store_unwritable", "cannot be written: " + why,
                            Place{path.string(), 0, 0, {}});
}

bool begins_as_a_database(fs::path const& path) {
  std::array<char, kMagic.size()> start = {};
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : ::read(file, start.data(), start.size());
  if (file >= 0) ::close(file);
  return got == ssize_t(start.size()) && std::string_view(start.data(), start.size()) == kMagic;
}

}  // namespace

Status may_be_a_store(fs::path const& path) {
  struct stat info {};
  bool there = ::stat(path.c_str(), &info) == 0;
  if (there && !S_ISREG(info.st_mode)) return unwritable(path, "it is not a file");
  if (there && ::access(path.c_str(), R_OK | W_OK) != 0)
    return unwritable(path, std::strerror(errno));
  fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return unwritable(path, std::string("its folder: ") + std::strerror(errno));
  bool empty = !there || info.st_size == 0;
  if (empty || (info.st_size >= kSmallestPage && begins_as_a_database(path))) return {};
  return bad_input("store_corrupt", "this is not a store of trials",
                   Place{path.string(), 0, 0, {}});
}

}  // namespace tw::records
