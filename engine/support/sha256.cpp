#include "engine/support/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace tw {
namespace {

constexpr uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t big_endian(unsigned char const* at) {
  return uint32_t(at[0]) << 24 | uint32_t(at[1]) << 16 | uint32_t(at[2]) << 8 | at[3];
}

}  // namespace

void Sha256::block(unsigned char const* bytes) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i) w[i] = big_endian(bytes + 4 * i);
  for (int i = 16; i < 64; ++i) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                     ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  uint32_t const added[] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[size_t(i)] += added[i];
}

Sha256& Sha256::add(std::string_view bytes) {
  size_t filled = length_ % 64;
  length_ += bytes.size();
  if (filled > 0) {
    size_t part = std::min(64 - filled, bytes.size());
    std::memcpy(rest_.data() + filled, bytes.data(), part);
    bytes.remove_prefix(part);
    if (filled + part < 64) return *this;
    block(rest_.data());
  }
  for (; bytes.size() >= 64; bytes.remove_prefix(64))
    block(reinterpret_cast<unsigned char const*>(bytes.data()));
  if (!bytes.empty()) std::memcpy(rest_.data(), bytes.data(), bytes.size());
  return *this;
}

std::string Sha256::finish() {
  uint64_t bits = length_ * 8;
  std::string end(1, '\x80');
  end.append((64 + 56 - (length_ + 1) % 64) % 64, '\0');
  for (int i = 7; i >= 0; --i) end += char(bits >> (8 * i));
  add(end);
  std::string text;
  for (uint32_t word : state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view bytes) { return Sha256().add(bytes).finish(); }

Result<std::string> sha256_of_file(std::filesystem::path const& path, StopToken stop) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                       &std::fclose);
  auto unreadable = [&] {
    return bad_input("file_unreadable", fmt::format("cannot be read: {}", std::strerror(errno)),
                     Place{path.string(), 0, 0, {}});
  };
  if (!file) return unreadable();
  Sha256 hash;
  std::vector<char> piece(1 << 18);
  while (size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    if (stop.stop_requested()) return refused("cancelled", "cancelled");
    hash.add({piece.data(), got});
  }
  if (std::ferror(file.get())) return unreadable();
  return hash.finish();
}

}  // namespace tw
