/// The tile registers of x86-64 (AMX) in software, for processors without them: an instruction that
/// the processor does not know is carried out by a handler of SIGILL. Encodings and operations:
/// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, and volume 1,
/// chapter 18.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace tw::testing {

class TileUnit {
public:
  /// Until it is gone. One at a time.
  TileUnit() {
    struct sigaction action = {};
    action.sa_sigaction = on_unknown;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGILL, &action, &before_);
    state() = {};
  }
  ~TileUnit() { sigaction(SIGILL, &before_, nullptr); }
  TileUnit(TileUnit const&) = delete;
  TileUnit& operator=(TileUnit const&) = delete;

  /// Products of tiles that were carried out so far.
  static int64_t products() { return state().products; }
  /// Tiles that were read from memory or written to it.
  static int64_t moves() { return state().moves; }

private:
  static constexpr int kTiles = 8, kRows = 16, kRowBytes = 64;
  /// Row by row.
  using Tile = std::array<std::array<uint8_t, kRowBytes>, kRows>;
  struct State {
    std::array<Tile, kTiles> tiles = {};
    std::array<uint8_t, 64> config = {};
    int64_t products = 0, moves = 0;
    int rows(int tile) const { return config[size_t(48 + tile)]; }
    int row_bytes(int tile) const {
      return config[size_t(16 + 2 * tile)] | config[size_t(17 + 2 * tile)] << 8;
    }
  };
  static State& state() {
    static thread_local State one;
    return one;
  }

  /// A three-byte VEX prefix of the opcode map 0F38, opcode and ModRM.
  struct Instruction {
    uint8_t const* at = nullptr;
    bool extends_index = false, extends_base = false;
    int prefix = 0;  ///< 0: none, 1: 66, 2: F3, 3: F2
    int second = 0;  ///< the register that VEX names
    uint8_t opcode = 0, mod = 0, reg = 0, rm = 0;
    int length = 5;
  };

  static bool read(uint8_t const* at, Instruction& one) {
    if (at[0] != 0xc4 || (at[1] & 0x1f) != 2 || (at[2] & 0x80) != 0) return false;
    one.at = at;
    one.extends_index = !(at[1] & 0x40);
    one.extends_base = !(at[1] & 0x20);
    one.prefix = at[2] & 3;
    one.second = ~at[2] >> 3 & 15;
    one.opcode = at[3];
    one.mod = at[4] >> 6;
    one.reg = at[4] >> 3 & 7;
    one.rm = at[4] & 7;
    return true;
  }

  static int64_t general(ucontext_t const& context, int number) {
    static constexpr int kPlaces[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                      REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                      REG_R12, REG_R13, REG_R14, REG_R15};
    return context.uc_mcontext.gregs[kPlaces[number]];
  }

  struct Address {
    int64_t begin = 0, stride = 0;
  };

  /// Of rows where a scaled index stands, which is their distance.
  static Address address_of(Instruction& one, ucontext_t const& context) {
    uint8_t const* next = one.at + 5;
    int base = one.rm + 8 * one.extends_base;
    Address result;
    bool no_base = false;
    if (one.rm == 4) {
      uint8_t sib = *next++;
      ++one.length;
      int index = (sib >> 3 & 7) + 8 * one.extends_index;
      base = (sib & 7) + 8 * one.extends_base;
      if (index != 4) result.stride = general(context, index) << (sib >> 6);
      no_base = (sib & 7) == 5 && one.mod == 0;
    }
    bool from_here = one.rm == 5 && one.mod == 0;
    int bytes = one.mod == 1 ? 1 : one.mod == 2 || no_base || from_here ? 4 : 0;
    int32_t displacement = 0;
    if (bytes == 1) displacement = int8_t(*next);
    if (bytes == 4) std::memcpy(&displacement, next, 4);
    one.length += bytes;
    int64_t begin = no_base     ? 0
                    : from_here ? reinterpret_cast<int64_t>(one.at) + one.length
                                : general(context, base);
    result.begin = begin + displacement;
    return result;
  }

  static void configure(Instruction& one, ucontext_t const& context) {
    State& unit = state();
    unit.tiles = {};
    if (one.mod == 3) {  // tilerelease
      unit.config = {};
      return;
    }
    auto at = address_of(one, context);
    std::memcpy(unit.config.data(), reinterpret_cast<void const*>(at.begin + at.stride),
                unit.config.size());
  }

  static void move(Instruction& one, ucontext_t const& context) {
    State& unit = state();
    ++unit.moves;
    Address at = address_of(one, context);
    for (int row = 0; row < unit.rows(one.reg); ++row) {
      auto& registers = unit.tiles[one.reg][size_t(row)];
      void* memory = reinterpret_cast<void*>(at.begin + row * at.stride);
      size_t bytes = size_t(unit.row_bytes(one.reg));
      if (one.prefix == 2)
        std::memcpy(memory, registers.data(), bytes);
      else
        std::memcpy(registers.data(), memory, bytes);
    }
  }

  static int32_t byte_at(Tile const& tile, int row, int byte, bool is_signed) {
    uint8_t bits = tile[size_t(row)][size_t(byte)];
    return is_signed ? int8_t(bits) : bits;
  }

  template <typename T>
  static T element(Tile const& tile, int row, int column) {
    T value;
    std::memcpy(&value, &tile[size_t(row)][size_t(column) * sizeof(T)], sizeof value);
    return value;
  }

  static void multiply_bytes(Instruction const& one) {
    State& unit = state();
    bool first_signed = one.prefix >= 2, second_signed = one.prefix == 1 || one.prefix == 3;
    Tile &sums = unit.tiles[one.reg], &a = unit.tiles[one.rm], &b = unit.tiles[size_t(one.second)];
    for (int m = 0; m < unit.rows(one.reg); ++m)
      for (int n = 0; n < unit.row_bytes(one.reg) / 4; ++n) {
        auto sum = element<uint32_t>(sums, m, n);
        for (int k = 0; k < unit.row_bytes(one.rm); ++k)
          sum += uint32_t(byte_at(a, m, k, first_signed) *
                          byte_at(b, k / 4, 4 * n + k % 4, second_signed));
        std::memcpy(&sums[size_t(m)][size_t(n) * 4], &sum, 4);
      }
  }

  static float widened(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

  /// Products of even and of odd numbers are added up apart, and then together.
  static void multiply_halves(Instruction const& one) {
    State& unit = state();
    Tile &sums = unit.tiles[one.reg], &a = unit.tiles[one.rm], &b = unit.tiles[size_t(one.second)];
    for (int m = 0; m < unit.rows(one.reg); ++m)
      for (int n = 0; n < unit.row_bytes(one.reg) / 4; ++n) {
        float parts[2] = {0, 0};
        for (int k = 0; k < unit.row_bytes(one.rm) / 2; ++k)
          parts[k % 2] += widened(element<uint16_t>(a, m, k)) *
                          widened(element<uint16_t>(b, k / 2, 2 * n + k % 2));
        float sum = element<float>(sums, m, n) + (parts[0] + parts[1]);
        std::memcpy(&sums[size_t(m)][size_t(n) * 4], &sum, 4);
      }
  }

  static bool carry_out(Instruction& one, ucontext_t const& context) {
    if (one.opcode == 0x49 && one.prefix == 0) return configure(one, context), true;
    if (one.opcode == 0x49 && one.prefix == 3) return state().tiles[one.reg] = {}, true;
    if (one.opcode == 0x4b && one.prefix != 0) return move(one, context), true;
    bool bytes = one.opcode == 0x5e, halves = one.opcode == 0x5c && one.prefix == 2;
    if (one.mod != 3 || !(bytes || halves) || one.second >= kTiles) return false;
    ++state().products;
    bytes ? multiply_bytes(one) : multiply_halves(one);
    return true;
  }

  static void on_unknown(int signal, siginfo_t*, void* raw) {
    auto& context = *static_cast<ucontext_t*>(raw);
    auto& place = context.uc_mcontext.gregs[REG_RIP];
    Instruction one;
    if (!read(reinterpret_cast<uint8_t const*>(place), one) || !carry_out(one, context)) {
      ::signal(signal, SIG_DFL);  // the instruction again, and the end
      return;
    }
    place += one.length;
  }

  struct sigaction before_ = {};
};

}  // namespace tw::testing
