#include "engine/ir/parse_number.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/ir/type_rules.h"
#include "engine/tensor/nearest.h"

namespace tw::ir {
namespace {

/// "nan(9221120237041090561)": what is behind the parenthesis.
Result<std::optional<uint64_t>> bits_of_nan(LineReader& reader) {
  TRY_ASSIGN(int64_t bits, reader.integer("the bits of a NaN"));
  if (!std::isnan(std::bit_cast<double>(bits)))
    return reader.error("no_nan", fmt::format("{} are not the bits of a NaN", bits));
  TRY(reader.expect(")"));
  return uint64_t(bits);
}

Result<DType> type_behind(LineReader& reader, DType otherwise) {
  if (!reader.accept(":")) return otherwise;
  TRY_ASSIGN(std::string suffix, reader.name("a type"));
  auto parsed = parse_dtype(suffix);
  if (!parsed) return reader.error("unknown_type", fmt::format("'{}' is not a type", suffix));
  return *parsed;
}

std::unexpected<Error> too_large(LineReader& reader, bool negative, std::string_view digits,
                                 DType type) {
  return reader.error("number_too_large",
                      fmt::format("the number {}{} does not fit in {}", negative ? "-" : "", digits,
                                  tw::to_text(type)));
}

Result<Expr> whole_number(LineReader& reader, bool negative, std::string_view text, DType type) {
  uint64_t magnitude = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), magnitude);
  uint64_t limit = uint64_t(std::numeric_limits<int64_t>::max()) + (negative ? 1 : 0);
  if (code != std::errc() || (magnitude > limit && type != DType::kU64))
    return reader.error("number_too_large",
                        fmt::format("the number {} does not fit in 64 bits", text));
  auto value = int64_t(negative ? 0 - magnitude : magnitude);
  bool below = negative && magnitude > 0 && type == DType::kU64;
  if (!fits(value, type) || below) return too_large(reader, negative, text, type);
  return int_imm(value, type);
}

Result<Expr> float_number(LineReader& reader, bool negative, std::string_view text, DType type) {
  double value = text == "inf"   ? std::numeric_limits<double>::infinity()
                 : text == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                 : std::strtod(std::string(text).c_str(), nullptr);
  bool named = text == "inf" || text == "nan";
  if (!named && !std::isfinite(nearest(type, value)))
    return too_large(reader, negative, text, type);
  return float_imm(negative ? -value : value, type);
}

}  // namespace

Result<Expr> parse_number(LineReader& reader, bool negative) {
  std::string_view text = reader.next().text;
  bool integral = text.find_first_not_of("0123456789") == std::string_view::npos;
  std::optional<uint64_t> nan_bits;
  if (text == "nan" && reader.accept("(")) {
    TRY_ASSIGN(nan_bits, bits_of_nan(reader));
  }
  TRY_ASSIGN(DType type, type_behind(reader, integral ? DType::kI64 : DType::kF32));
  if (type == DType::kBool || (!integral && !is_float(type)))
    return reader.error("type_mismatch",
                        fmt::format("'{}' is not of type {}", text, tw::to_text(type)));
  if (integral && !is_float(type)) return whole_number(reader, negative, text, type);
  if (nan_bits)
    return float_imm(std::bit_cast<double>(*nan_bits | (uint64_t(negative) << 63)), type);
  return float_number(reader, negative, text, type);
}

}  // namespace tw::ir
