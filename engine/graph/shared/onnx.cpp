#include "engine/graph/shared/onnx.h"

#include <fmt/format.h>

#include <array>

#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/known_late.h"

namespace tw::ops {
namespace {

template <typename T>
T attribute_or(ForeignNode const& node, std::string_view name, T otherwise) {
  auto found = node.attributes.find(std::string(name));
  if (found == node.attributes.end()) return otherwise;
  T const* value = std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

}  // namespace

int64_t onnx_integer(ForeignNode const& node, std::string_view name, int64_t otherwise) {
  return attribute_or<int64_t>(node, name, otherwise);
}

double onnx_number(ForeignNode const& node, std::string_view name, double otherwise) {
  return attribute_or<double>(node, name, otherwise);
}

std::string onnx_text(ForeignNode const& node, std::string_view name, std::string otherwise) {
  return attribute_or<std::string>(node, name, std::move(otherwise));
}

std::vector<int64_t> onnx_integers(ForeignNode const& node, std::string_view name,
                                   std::vector<int64_t> otherwise) {
  return attribute_or<std::vector<int64_t>>(node, name, std::move(otherwise));
}

bool onnx_has(ForeignNode const& node, std::string_view name) {
  return node.attributes.count(std::string(name)) > 0;
}

Converted keep_inputs(ForeignContext const& context, size_t count, Attributes attributes) {
  Converted converted;
  converted.attributes = std::move(attributes);
  for (size_t i = 0; i < count && i < context.node.inputs.size(); ++i)
    converted.inputs.push_back(context.node.inputs[i]);
  return converted;
}

std::unexpected<Error> known_late(std::string const& what) {
  return bad_input(kKnownLate, fmt::format("{} is computed while the model runs", what));
}

bool input_given(ForeignContext const& context, size_t input) {
  return input < context.node.inputs.size() && !context.node.inputs[input].empty();
}

Result<std::vector<int64_t>> constant_integers(ForeignContext const& context, size_t input,
                                               char const* what) {
  if (!input_given(context, input)) return unsupported(fmt::format("{} is missing", what));
  NDArray const& constant = context.constants[input];
  if (constant.empty()) return known_late(what);
  if (constant.shape().size() > 1 || is_float(constant.type()))
    return unsupported(fmt::format("{} is no list of integers", what));
  std::vector<int64_t> list;
  for (int64_t i = 0; i < constant.size(); ++i) {
    double value = constant.value_at(i);
    if (constant.type() == DType::kU64 && value >= 0x1p63)
      return unsupported(fmt::format("{} holds {}, which is too large", what, value));
    list.push_back(constant.type() == DType::kI64 ? constant.as<int64_t>()[size_t(i)]
                                                  : int64_t(value));
  }
  return list;
}

Result<std::vector<double>> constant_numbers(ForeignContext const& context, size_t input,
                                             char const* what) {
  if (!input_given(context, input)) return unsupported(fmt::format("{} is missing", what));
  NDArray const& constant = context.constants[input];
  if (constant.empty()) return known_late(what);
  if (constant.shape().size() > 1 || !is_float(constant.type()))
    return unsupported(fmt::format("{} is no list of numbers", what));
  std::vector<double> list;
  for (int64_t i = 0; i < constant.size(); ++i) list.push_back(constant.value_at(i));
  return list;
}

Status check_old_broadcast(ForeignContext const& context) {
  if (context.opset < 7 && onnx_has(context.node, "axis"))
    return unsupported("broadcasting along a chosen axis (before opset 7)");
  return {};
}

std::optional<DType> onnx_dtype(int64_t number) {
  constexpr std::optional<DType> kNone;  // strings, complex numbers
  constexpr std::array<std::optional<DType>, 17> kTypes{
      kNone,       DType::kF32, DType::kU8, DType::kI8,   DType::kU16, DType::kI16,
      DType::kI32, DType::kI64, kNone,      DType::kBool, DType::kF16, DType::kF64,
      DType::kU32, DType::kU64, kNone,      kNone,        DType::kBF16};
  return number >= 0 && number < int64_t(kTypes.size()) ? kTypes[size_t(number)] : kNone;
}

}  // namespace tw::ops
