#include "engine/tensor/dtype.h"

#include <array>

namespace tw {
namespace {

struct Row {
  DType type;
  std::string_view name;
  int64_t size;
};
constexpr std::array<Row, 13> kRows{{{DType::kF32, "f32", 4},
                                     {DType::kF64, "f64", 8},
                                     {DType::kF16, "f16", 2},
                                     {DType::kBF16, "bf16", 2},
                                     {DType::kI8, "i8", 1},
                                     {DType::kU8, "u8", 1},
                                     {DType::kI16, "i16", 2},
                                     {DType::kU16, "u16", 2},
                                     {DType::kI32, "i32", 4},
                                     {DType::kU32, "u32", 4},
                                     {DType::kI64, "i64", 8},
                                     {DType::kU64, "u64", 8},
                                     {DType::kBool, "bool", 1}}};

}  // namespace

int64_t size_of(DType type) { return kRows[size_t(type)].size; }
std::string_view to_text(DType type) { return kRows[size_t(type)].name; }
bool is_float(DType type) { return type <= DType::kBF16; }
bool is_integer(DType type) { return type > DType::kBF16 && type != DType::kBool; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (Row const& row : kRows)
    if (row.name == text) return row.type;
  return std::nullopt;
}

bool is_signed(DType type) {
  return type == DType::kI8 || type == DType::kI16 || type == DType::kI32 || type == DType::kI64;
}

}  // namespace tw
