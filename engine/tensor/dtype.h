/// Element types.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tw {

enum class DType : uint8_t {
  kF32,
  kF64,
  kF16,
  kBF16,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kBool
};

/// Bytes of one element.
int64_t size_of(DType type);
/// "f32", "i64", "bool".
std::string_view to_text(DType type);
std::optional<DType> parse_dtype(std::string_view text);
bool is_float(DType type);
bool is_integer(DType type);  ///< bool is not an integer
bool is_signed(DType type);   ///< an integer with a sign

}  // namespace tw
