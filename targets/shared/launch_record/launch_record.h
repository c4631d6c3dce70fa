/// What the host's function of a kernel does, as data: which device functions it launches, how, and
/// with what. Every target whose kernels are launches has it; a device interprets it, so that no
/// code for the device's own processor is needed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::launch_record {

/// A whole number of the kernel's sizes, in postfix order: a number pushes itself, a size the value
/// that the kernel was called with, an operator takes two and pushes one.
struct Number {
  enum class Kind : uint8_t {
    kConstant,
    kSize,
    kAdd,
    kSub,
    kMul,
    kFloorDiv,
    kFloorMod,
    kMin,
    kMax
  };
  struct Step {
    Kind kind = Kind::kConstant;
    int64_t value = 0;  ///< the constant, or which size
    bool operator==(Step const&) const = default;
  };
  std::vector<Step> steps;
  bool operator==(Number const&) const = default;

  static Number constant(int64_t value) { return {{{Kind::kConstant, value}}}; }
};

/// Errors: bad_launch, where it divides by zero, is of no such size, or does not fit.
Result<int64_t> value_of(Number const& number, std::span<int64_t const> sizes);

/// A tensor: one of the kernel's buffers from that byte on.
struct BufferArgument {
  int32_t buffer = 0;
  int64_t byte = 0;
  int32_t element_bytes = 1;
  bool operator==(BufferArgument const&) const = default;
};
/// A size, or a number of sizes.
struct NumberArgument {
  Number number;
  bool operator==(NumberArgument const&) const = default;
};
/// Where a function says that it was to divide by zero.
struct FaultArgument {
  bool operator==(FaultArgument const&) const = default;
};
using Argument = std::variant<BufferArgument, NumberArgument, FaultArgument>;

struct Launch {
  std::string function;  ///< of the library's part for the device
  std::array<Number, 3> grid, block;
  std::vector<Argument> arguments;
  int64_t shared_bytes = 0;  ///< of each block, beside what the function has declared
  bool operator==(Launch const&) const = default;
};

/// Of a record; steps in time are launches of their own.
inline constexpr size_t kMostLaunches = 4096;

struct KernelRecord {
  std::string symbol;
  int32_t buffers = 0;  ///< inputs, outputs and the workspace
  int32_t sizes = 0;    ///< i64 elements of the first buffer, where it has some
  std::vector<Launch> launches;
  bool operator==(KernelRecord const&) const = default;
};

/// JSON on one line.
std::string to_text(KernelRecord const& record);
/// What `to_text` gave, checked: buffers and sizes are those of the kernel, numbers have a value.
/// Errors: bad_launch_record.
Result<KernelRecord> parse_record(std::string_view text);

}  // namespace tw::launch_record
