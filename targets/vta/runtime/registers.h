/// The registers of a board's accelerator, and where they are. Sources: the published block designs
/// of the boards, and the register files that their modules have.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "engine/support/base/error.h"

namespace tw::vta {

/// 32-bit registers by their physical address.
class Registers {
public:
  virtual ~Registers() = default;
  virtual uint32_t read32(uint64_t address) = 0;
  virtual void write32(uint64_t address, uint32_t value) = 0;
};

/// How the modules are started and watched.
enum class RegisterFile : uint8_t {
  kFourModules,  ///< one block each of fetch, load, compute and store
  kOneBlock,     ///< one block for all: launch, finish, counters, pointers
};

struct BoardLayout {
  RegisterFile file = RegisterFile::kFourModules;
  /// Fetch, load, compute, store; of one block the first.
  std::array<uint64_t, 4> blocks{};
  uint64_t bus_offset = 0;  ///< the accelerator sees memory so much higher than the processor does
};

inline constexpr uint64_t kBlockBytes = 0x1000;

/// By the configuration's name, or what it begins with: "pynq-4x8" is a PYNQ. Errors:
/// no_such_hardware.
Result<BoardLayout> layout_of(std::string_view board);

/// Through `file`, "/dev/mem": only who may touch all memory may do that. Errors: no_such_hardware.
Result<std::unique_ptr<Registers>> map_registers(BoardLayout const& layout, char const* file);

}  // namespace tw::vta
