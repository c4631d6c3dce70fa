#include "engine/ir/convert.h"

#include <array>

#include "engine/ir/bits.h"

namespace tw::ir {
namespace {

using Wide = __int128;

struct Ends {
  Wide low, high;
};

Ends ends_of(DType type) {
  int bits = int(size_of(type)) * 8;
  if (is_signed(type)) return {-(Wide(1) << (bits - 1)), (Wide(1) << (bits - 1)) - 1};
  return {0, (Wide(1) << bits) - 1};
}

}  // namespace

Expr saturate(DType type, Expr const& x) {
  Expr value = is_float(x.type()) ? cast(DType::kI64, x) : x;
  Ends wanted = ends_of(type), given = ends_of(value.type());
  if (given.low < wanted.low)
    value = binary(BinaryOp::kMax, value, int_imm(int64_t(wanted.low), value.type()));
  if (wanted.high < given.high)
    value = binary(BinaryOp::kMin, value, int_imm(int64_t(wanted.high), value.type()));
  return cast(type, value);
}

std::optional<PackedType> packed_type(std::string_view name) {
  static constexpr std::array<PackedType, 5> kTypes{{{"i2", 2, DType::kI8},
                                                     {"i4", 4, DType::kI8},
                                                     {"u1", 1, DType::kU8},
                                                     {"u2", 2, DType::kU8},
                                                     {"u4", 4, DType::kU8}}};
  for (PackedType const& type : kTypes)
    if (type.name == name) return type;
  return std::nullopt;
}

Expr unpack(PackedType const& type, Expr const& byte, Expr const& at) {
  auto bits = [](int64_t value, DType of = DType::kU8) { return int_imm(value, of); };
  auto index = as_int(at);
  Expr places =
      index ? bits(*index * type.bits) : cast(DType::kU8, at * int_imm(type.bits, at.type()));
  Expr shifted = is_int(places, 0) ? byte : binary(BinaryOp::kShiftRight, byte, places);
  Expr field = binary(BinaryOp::kBitAnd, shifted, bits((int64_t(1) << type.bits) - 1));
  if (!is_signed(type.as)) return field;
  // The highest bit counts negative: what it adds too much, twice its place, is taken away.
  Expr sign = bits(int64_t(1) << (type.bits - 1), type.as);
  return binary(BinaryOp::kBitXor, cast(type.as, field), sign) - sign;
}

Expr pack(PackedType const& type, std::vector<Expr> const& values) {
  auto bits = [](int64_t value) { return int_imm(value, DType::kU8); };
  Expr byte;
  for (size_t i = 0; i < values.size(); ++i) {
    Expr field = cast(DType::kU8, values[i]);
    bool last = i + 1 == values.size();  // its upper bits leave the byte
    if (!last) field = binary(BinaryOp::kBitAnd, field, bits((int64_t(1) << type.bits) - 1));
    if (i > 0) field = binary(BinaryOp::kShiftLeft, field, bits(int64_t(i) * type.bits));
    byte = byte ? binary(BinaryOp::kBitOr, byte, field) : field;
  }
  return byte;
}

}  // namespace tw::ir
