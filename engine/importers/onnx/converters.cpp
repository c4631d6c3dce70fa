#include "engine/importers/onnx/converters.h"

#include <array>

#include "engine/importers/onnx/known_types.h"

namespace tw {

Converters const& onnx_converters() {
  static Converters const rules{.lists = onnx_converter_lists(),
                                .domains = {"ai.onnx"},
                                .newest_opset = 28,
                                .function_opset = 18,
                                .known_types = onnx_known_types};
  return rules;
}

namespace rules {

Status check_old_broadcast(ForeignContext const& context) {
  if (context.opset < 7 && foreign_has(context.node, "axis"))
    return unsupported("broadcasting along a chosen axis (before opset 7)");
  return {};
}

Result<Converted> keep_two(ForeignContext const& context) {
  TRY(check_old_broadcast(context));
  return keep_inputs(context, 2);
}

std::optional<DType> onnx_dtype(int64_t number) {
  constexpr std::optional<DType> kNone;  // strings, complex numbers
  constexpr std::array<std::optional<DType>, 17> kTypes{
      kNone,       DType::kF32, DType::kU8, DType::kI8,   DType::kU16, DType::kI16,
      DType::kI32, DType::kI64, kNone,      DType::kBool, DType::kF16, DType::kF64,
      DType::kU32, DType::kU64, kNone,      kNone,        DType::kBF16};
  return number >= 0 && number < int64_t(kTypes.size()) ? kTypes[size_t(number)] : kNone;
}

}  // namespace rules
}  // namespace tw
