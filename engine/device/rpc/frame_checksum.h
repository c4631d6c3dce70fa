/// Bytes that a network changed on their way are noticed before anything is made of them: TCP's own
/// sum has 16 bits, and a kernel with a wrong byte would compute something.
#pragma once

#include <cstdint>

namespace tw {

namespace rpc {
class Frame;
}

/// Of all that the frame says; the same on every machine. No single changed word of eight bytes
/// leaves it as it was.
uint64_t checksum(rpc::Frame const& frame);

/// Puts it into the frame, when that is complete.
void seal(rpc::Frame& frame);
/// What came is what was sent. A frame without a checksum, from an older program, is believed.
bool is_intact(rpc::Frame const& frame);

}  // namespace tw
