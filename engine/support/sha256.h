/// SHA-256 (FIPS 180-4): names a file by its content, the same on every machine for ever.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/support/base/error.h"
#include "engine/support/base/job.h"

namespace tw {

class Sha256 {
public:
  Sha256& add(std::string_view bytes);
  /// 64 hexadecimal digits, lower case; nothing may be added afterwards.
  std::string finish();

private:
  void block(unsigned char const* bytes);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_ = {};
  uint64_t length_ = 0;  ///< bytes so far
};

std::string sha256(std::string_view bytes);
/// Reads the file in pieces. Errors: file_unreadable, cancelled.
Result<std::string> sha256_of_file(std::filesystem::path const& path, StopToken stop = {});

}  // namespace tw
