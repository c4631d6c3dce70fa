#include "app/shared/private_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace tw {
namespace {

namespace fs = std::filesystem;

/// Why it cannot be trusted, as the end of a sentence; empty: it can, or it is not there.
std::string mistrust(fs::path const& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return "";
  if (info.st_uid != ::geteuid()) return fmt::format("belongs to user {}", info.st_uid);
  bool by_group = (info.st_mode & S_IWGRP) != 0 && info.st_gid != ::getegid();
  if (by_group || (info.st_mode & S_IWOTH) != 0) return "can be written by others";
  return "";
}

void make(fs::path const& folder) {
  std::error_code ignored;
  fs::create_directories(folder.parent_path(), ignored);
  (void)::mkdir(folder.c_str(), 0700);  // where it cannot be made, nothing is kept
}

}  // namespace

fs::path temporary_folder() {
  std::error_code error;
  fs::path all = fs::temp_directory_path(error);
  fs::path own = (error ? fs::path("/tmp") : all) / fmt::format("tilewright-{}", ::geteuid());
  make(own);
  if (mistrust(own).empty()) return own;
  std::string pattern = own.string() + "-XXXXXX";  // somebody was here first
  return ::mkdtemp(pattern.data()) != nullptr ? fs::path(pattern) : own;
}

PrivateFolder private_folder(fs::path const& wanted) {
  make(wanted);
  std::string why = mistrust(wanted);
  if (why.empty()) return {wanted, ""};
  fs::path instead = temporary_folder();
  return {instead, fmt::format("the cache folder {} {} and is not used; {} is used instead",
                               wanted.string(), why, instead.string())};
}

}  // namespace tw
