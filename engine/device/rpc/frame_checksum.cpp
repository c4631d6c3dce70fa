#include "engine/device/rpc/frame_checksum.h"

#include "engine/device/rpc/service.pb.h"
#include "engine/support/base/hash.h"

namespace tw {
namespace {

/// The first byte is the lowest, whatever the machine's order.
uint64_t word_of(std::string_view bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size(); ++i) word |= uint64_t(uint8_t(bytes[i])) << 8 * i;
  return word;
}

}  // namespace

uint64_t checksum(rpc::Frame const& frame) {
  Hasher hasher;
  std::string_view bytes = frame.data();
  hasher.number(frame.kind()).number(frame.more() ? 1 : 0).number(bytes.size());
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) hasher.number(word_of(bytes.substr(0, 8)));
  return hasher.number(word_of(bytes)).finish();
}

void seal(rpc::Frame& frame) { frame.set_checksum(checksum(frame)); }

bool is_intact(rpc::Frame const& frame) {
  return !frame.has_checksum() || frame.checksum() == checksum(frame);
}

}  // namespace tw
