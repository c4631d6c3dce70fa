#include "engine/records/sqlite/file_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace tw::records {
namespace {

constexpr off_t kSmallestPage = 512;  // of a database

std::unexpected<Error> unwritable(std::filesystem::path const& path, std::string const& why) {
  return environment_failed("store_unwritable", "cannot be written: " + why,
                            Place{path.string(), 0, 0, {}});
}

}  // namespace

Status may_be_a_store(std::filesystem::path const& path) {
  struct stat info {};
  bool there = ::stat(path.c_str(), &info) == 0;
  if (there && !S_ISREG(info.st_mode)) return unwritable(path, "it is not a file");
  if (there && ::access(path.c_str(), R_OK | W_OK) != 0)
    return unwritable(path, std::strerror(errno));
  auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return unwritable(path, std::string("its folder: ") + std::strerror(errno));
  if (!there || info.st_size == 0 || info.st_size >= kSmallestPage) return {};
  return bad_input("store_corrupt", "this is not a store of trials",
                   Place{path.string(), 0, 0, {}});
}

}  // namespace tw::records
