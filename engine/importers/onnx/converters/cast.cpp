#include <array>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_cast {
namespace {

using namespace rules;

/// Before opset 6 the type is a word.
std::optional<DType> type_by_word(std::string const& word) {
  constexpr std::array<std::string_view, 17> kWords{
      "UNDEFINED", "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",
      "INT32",     "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE",
      "UINT32",    "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16"};
  for (size_t i = 0; i < kWords.size(); ++i)
    if (kWords[i] == word) return onnx_dtype(int64_t(i));
  return std::nullopt;
}

Result<Converted> convert(ForeignContext const& context) {
  std::optional<DType> type = type_by_word(foreign_text(context.node, "to", ""));
  if (!type) type = onnx_dtype(foreign_integer(context.node, "to", 0));
  if (!type) return unsupported("a cast to strings or complex numbers");
  return keep_inputs(context, 1, {{"type", std::string(to_text(*type))}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Cast",
       .attributes = {{"round_mode", 24}, {"saturate", 19}, {"to"}},
       .op = "cast",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_cast
