#include "engine/runtime/package/package_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/runtime/package/checksum.h"

namespace tw::package {

OpenFile::OpenFile(std::filesystem::path const& path)
    : path_(path), file_(std::fopen(path.c_str(), "rbe")) {
  reason_ = file_ ? 0 : errno;
}

OpenFile::~OpenFile() {
  if (file_) std::fclose(file_);
}

Status OpenFile::status() const {
  if (file_ && !std::ferror(file_)) return {};
  return environment_failed("package_unreadable", path_.string() + " cannot be read: " +
                                                      std::strerror(file_ ? errno : reason_));
}

size_t OpenFile::read(std::span<std::byte> to) {
  return file_ ? std::fread(to.data(), 1, to.size(), file_) : 0;
}

int OpenFile::descriptor() const { return fileno(file_); }

std::unexpected<Error> damaged(File const& file, std::string const& why) {
  return bad_input("damaged_package", file.name + " is damaged: " + why);
}

Status read_exactly(OpenFile& file, File const& stated, std::span<std::byte> to) {
  TRY(file.status());
  Checksum checksum;
  constexpr size_t kPiece = 1 << 20;  // summed while it is in the cache
  size_t got = 0;
  for (size_t count = 1; got < to.size() && count > 0; got += count) {
    auto piece = to.subspan(got, std::min(kPiece, to.size() - got));
    count = file.read(piece);
    checksum.add(piece.first(count));
  }
  TRY(file.status());
  std::byte more{};
  if (got < to.size())
    return damaged(stated,
                   "it has " + std::to_string(got) + " bytes of " + std::to_string(stated.bytes));
  if (file.read({&more, 1}) != 0)
    return damaged(stated, "it has more than its " + std::to_string(stated.bytes) + " bytes");
  if (checksum.finish() != stated.checksum) return damaged(stated, "its checksum is wrong");
  return {};
}

}  // namespace tw::package
