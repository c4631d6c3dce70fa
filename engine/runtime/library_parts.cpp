#include "engine/runtime/library_parts.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tw {
namespace {

constexpr std::string_view kMagic = "tilewright parts 1\n";
constexpr uint64_t kMostParts = 64, kMostName = 256;

void append(std::vector<std::byte>& to, std::span<std::byte const> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Eight bytes, the lowest first.
void append(std::vector<std::byte>& to, uint64_t number) {
  for (int i = 0; i < 8; ++i) to.push_back(std::byte(number >> (8 * i) & 255));
}

std::span<std::byte const> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// After the first thing that is not there everything reads as nothing.
class Reader {
public:
  explicit Reader(std::span<std::byte const> left) : left_(left) {}
  bool good() const { return good_; }
  bool at_end() const { return good_ && left_.empty(); }
  std::span<std::byte const> take(uint64_t count) {
    good_ = good_ && count <= left_.size();
    if (!good_) return {};
    auto taken = left_.first(size_t(count));
    left_ = left_.subspan(size_t(count));
    return taken;
  }
  uint64_t number(uint64_t most) {
    uint64_t value = 0;
    std::span<std::byte const> bytes = take(8);
    for (size_t i = 0; i < bytes.size(); ++i) value |= uint64_t(bytes[i]) << (8 * i);
    good_ = good_ && value <= most;
    return good_ ? value : 0;
  }

private:
  std::span<std::byte const> left_;
  bool good_ = true;
};

}  // namespace

std::vector<std::byte> join_parts(std::span<LibraryPart const> parts) {
  std::vector<std::byte> library;
  append(library, bytes_of(kMagic));
  append(library, parts.size());
  for (LibraryPart const& part : parts) {
    append(library, part.name.size());
    append(library, bytes_of(part.name));
    append(library, part.bytes.size());
    append(library, part.bytes);
  }
  return library;
}

Result<std::vector<LibraryPart>> split_parts(std::span<std::byte const> library) {
  Reader reader(library);
  std::span<std::byte const> magic = reader.take(kMagic.size());
  if (!reader.good() || std::memcmp(magic.data(), kMagic.data(), magic.size()) != 0)
    return bad_input("module_not_loadable", "the library has no parts for a host and a device");
  std::vector<LibraryPart> parts;
  for (uint64_t left = reader.number(kMostParts); left > 0 && reader.good(); --left) {
    std::span<std::byte const> name = reader.take(reader.number(kMostName));
    std::string text(reinterpret_cast<char const*>(name.data()), name.size());
    parts.push_back({std::move(text), reader.take(reader.number(library.size()))});
  }
  if (!reader.at_end()) return bad_input("module_not_loadable", "a part of the library is cut off");
  return parts;
}

Result<std::span<std::byte const>> find_part(std::span<LibraryPart const> parts,
                                             std::string const& name) {
  for (LibraryPart const& part : parts)
    if (part.name == name) return part.bytes;
  return bad_input("module_not_loadable", "the library has no part '" + name + "'");
}

}  // namespace tw
