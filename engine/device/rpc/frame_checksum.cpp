#include "engine/device/rpc/frame_checksum.h"

#include <bit>
#include <cstring>

#include "engine/device/rpc/service.pb.h"
#include "engine/support/base/hash.h"

namespace tw {
namespace {

/// Up to eight; the first byte is the lowest, whatever the machine's order.
uint64_t word_of(char const* bytes, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return std::endian::native == std::endian::little ? word : std::byteswap(word);
}

}  // namespace

uint64_t checksum(rpc::Frame const& frame) {
  Hasher hasher;
  std::string_view bytes = frame.data();
  hasher.number(frame.kind()).number(frame.more() ? 1 : 0).number(bytes.size());
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) hasher.number(word_of(bytes.data(), 8));
  return hasher.number(word_of(bytes.data(), bytes.size())).finish();
}

void seal(rpc::Frame& frame) { frame.set_checksum(checksum(frame)); }

bool is_intact(rpc::Frame const& frame) {
  return !frame.has_checksum() || frame.checksum() == checksum(frame);
}

}  // namespace tw
