/// A file of a package's folder, read and checked against what the description states.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>

#include "engine/runtime/package/description.h"

namespace tw::package {

/// Read from its beginning.
class OpenFile {
public:
  explicit OpenFile(std::filesystem::path const& path);
  ~OpenFile();
  OpenFile(OpenFile const&) = delete;
  OpenFile& operator=(OpenFile const&) = delete;

  /// Errors: package_unreadable, with the system's reason.
  Status status() const;
  /// Bytes read; fewer than asked at the file's end.
  size_t read(std::span<std::byte> to);
  int descriptor() const;  ///< of a file that is open

private:
  std::filesystem::path path_;
  std::FILE* file_;
  int reason_ = 0;
};

/// Exactly the bytes that the description states, with their checksum; a file that is longer is
/// another one. Errors: package_unreadable, damaged_package.
Status read_exactly(OpenFile& file, File const& stated, std::span<std::byte> to);

std::unexpected<Error> damaged(File const& file, std::string const& why);

}  // namespace tw::package
