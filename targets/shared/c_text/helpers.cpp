#include "targets/shared/c_text/helpers.h"

#include <fmt/format.h>

namespace tw::c_text {
namespace {

struct HelperKind {
  std::string_view kind;
  /// @ is the type, % the same without sign, # its bits, $ the function's name, ! what is done when
  /// b is zero; L the type of 64 bits, U the same without sign.
  std::string_view text;
};

constexpr HelperKind kHelpers[] = {
    // C leaves a division by zero to the compiler.
    {"div",
     "@ $(@ a, @ b) {\n"
     "  !\n"
     "  return (@)(a / b);\n"
     "}\n"},
    {"mod",
     "@ $(@ a, @ b) {\n"
     "  !\n"
     "  return (@)(a % b);\n"
     "}\n"},
    // The least by -1 is itself, wrapped; the processor's division would trap.
    {"floor_div",
     "@ $(@ a, @ b) {\n"
     "  !\n"
     "  if (b == -1) return (@)(0 - (%)a);\n"
     "  return (@)(a / b - (a % b != 0 && (a % b < 0) != (b < 0)));\n"
     "}\n"},
    {"floor_mod",
     "@ $(@ a, @ b) {\n"
     "  !\n"
     "  if (b == -1) return 0;\n"
     "  return (@)(a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0));\n"
     "}\n"},
    {"shift_left", "@ $(@ a, @ b) { return (U)b < # ? (@)((U)a << b) : 0; }\n"},
    {"shift_right", "@ $(@ a, @ b) { return (U)b < # ? (@)(a >> b) : (@)(a < 0 ? -1 : 0); }\n"},
    {"abs", "@ $(@ a) { return (@)(a < 0 ? 0 - (%)a : (%)a); }\n"},
    // Of two NaN-free numbers the greater; else a NaN, on whichever side it stands.
    {"max", "@ $(@ a, @ b) { return a != a ? a : a > b ? a : b; }\n"},
    {"min", "@ $(@ a, @ b) { return a != a ? a : a < b ? a : b; }\n"},
    {"popcount",
     "@ $(@ a) {\n"
     "  @ count = 0;\n"
     "  for (int bit = 0; bit < #; ++bit) count += ((U)(%)a >> bit) & 1;\n"
     "  return count;\n"
     "}\n"},
    // 2 to the 63rd is the first that does not fit.
    {"whole",
     "L $(@ a) {\n"
     "  if (a != a) return 0;\n"
     "  if (a >= (@)((U)1 << 63)) return (L)(((U)1 << 63) - 1);\n"
     "  return a <= -(@)((U)1 << 63) ? (L)((U)1 << 63) : (L)a;\n"
     "}\n"},
};

/// The function's head and statements; the lesser names come first, as files have them.
std::string narrow_text(NarrowFloats const& narrow, std::string_view kind, DType type) {
  if (kind == "rounded")
    return fmt::format("@F $(@F x) {{ return tw_number_{0}(tw_bits_{0}(x)); }}\n", to_text(type));
  bool half = type == DType::kF16;
  if (kind == "number")
    return half ? fmt::format("@F $(@ x) {{ {} }}\n", narrow.from_half)
                : fmt::format("@F $(@ x) {{ return {}((@W)x << 16); }}\n", narrow.single_of);
  if (half) return fmt::format("@ $(@F x) {{ {} }}\n", narrow.to_half);
  // To the nearest, ties to even; what is no number stays none.
  return fmt::format(
      "@ $(@F x) {{\n"
      "  @W b = {}(x);\n"
      "  return (@)(x != x ? (b | 0x400000) >> 16 : (b + 0x7FFF + ((b >> 16) & 1)) >> 16);\n"
      "}}\n",
      narrow.bits_of);
}

DType without_sign(DType type) {
  switch (type) {
    case DType::kI8:
      return DType::kU8;
    case DType::kI16:
      return DType::kU16;
    case DType::kI32:
      return DType::kU32;
    case DType::kI64:
      return DType::kU64;
    default:
      return type;
  }
}

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size())
    text.replace(at, mark.size(), by);
  return text;
}

/// "a % b" is a remainder, and "(%)" a type.
std::string with_types(Dialect const& dialect, std::string text, DType type) {
  text = replaced(std::move(text), "(%)", "(" + dialect.type(without_sign(type)) + ")");
  text = replaced(std::move(text), "(U)", "(" + dialect.type(DType::kU64) + ")");
  text = replaced(std::move(text), "(L)", "(" + dialect.type(DType::kI64) + ")");
  if (text.starts_with("L ")) text.replace(0, 1, dialect.type(DType::kI64));
  text = replaced(std::move(text), "@", dialect.type(type));
  return replaced(std::move(text), "#", std::to_string(size_of(type) * 8));
}

}  // namespace

Helper helper_of(Dialect const& dialect, std::string_view kind, DType type) {
  constexpr std::string_view kKnown = "_known";
  Helper made{.name = fmt::format("tw_{}_{}", kind, to_text(type)), .text = {}};
  if (kind == "number" || kind == "bits" || kind == "rounded") {
    std::string text = narrow_text(dialect.narrow, kind, type);
    text = replaced(std::move(text), "@F", dialect.type(DType::kF32));
    text = replaced(std::move(text), "@W", dialect.type(DType::kU32));
    text = replaced(std::move(text), "@", dialect.type(type));
    made.text = fmt::format("{} {}", dialect.helper_head, replaced(text, "$", made.name));
    return made;
  }
  bool known = kind.ends_with(kKnown);
  if (known) kind.remove_suffix(kKnown.size());
  for (HelperKind const& row : kHelpers) {
    if (row.kind != kind) continue;
    std::string text = with_types(dialect, std::string(row.text), type);
    bool divides = text.contains("  !\n");
    made.takes_fault = divides && !known && !dialect.fault_type.empty();
    text = replaced(std::move(text), "  !\n",
                    known ? "" : fmt::format("  if (b == 0) {}\n", dialect.on_division_by_zero));
    if (made.takes_fault)
      text =
          replaced(std::move(text), " b) {", fmt::format(" b, {} fault) {{", dialect.fault_type));
    made.text =
        fmt::format("{} {}", dialect.helper_head, replaced(std::move(text), "$", made.name));
  }
  return made;
}

}  // namespace tw::c_text
