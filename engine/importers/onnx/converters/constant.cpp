#include <type_traits>

#include "engine/importers/onnx/converters.h"
#include "engine/tensor/integers.h"

namespace tw::onnx_constant {
namespace {

using namespace rules;

template <typename T>
Result<NDArray> list_array(DType type, std::vector<T> const& list, bool scalar) {
  TRY_ASSIGN(NDArray array, NDArray::create(type, scalar ? Shape{} : Shape{int64_t(list.size())}));
  for (size_t i = 0; i < list.size(); ++i)
    if constexpr (std::is_integral_v<T>)
      set_integer(array, int64_t(i), list[i]);
    else
      array.set_value(int64_t(i), list[i]);
  return array;
}

Result<Converted> convert(ForeignContext const& context) {
  ForeignNode const& node = context.node;
  NDArray value;
  if (auto found = node.attributes.find("value"); found != node.attributes.end())
    if (NDArray const* given = std::get_if<NDArray>(&found->second)) value = *given;
  if (foreign_has(node, "value_int")) {
    TRY_ASSIGN(value,
               list_array<int64_t>(DType::kI64, {foreign_integer(node, "value_int", 0)}, true));
  } else if (foreign_has(node, "value_float")) {
    TRY_ASSIGN(value,
               list_array<double>(DType::kF32, {foreign_number(node, "value_float", 0)}, true));
  } else if (foreign_has(node, "value_ints")) {
    TRY_ASSIGN(value, list_array(DType::kI64, foreign_integers(node, "value_ints"), false));
  } else if (foreign_has(node, "value_floats")) {
    auto found = node.attributes.find("value_floats");
    auto const* floats = std::get_if<std::vector<double>>(&found->second);
    TRY_ASSIGN(value, list_array(DType::kF32, floats ? *floats : std::vector<double>(), false));
  }
  if (value.empty()) return unsupported("a constant that is not a dense tensor of numbers");
  return keep_inputs(context, 0, {{"value", value}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Constant",
       .attributes = {{"sparse_value", 11},
                      {"value"},
                      {"value_float", 12},
                      {"value_floats", 12},
                      {"value_int", 12},
                      {"value_ints", 12},
                      {"value_string", 12},
                      {"value_strings", 12}},
       .op = "constant",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_constant
