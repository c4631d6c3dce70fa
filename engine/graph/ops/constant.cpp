#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos) {
  NDArray value = tensor(attributes, "value");
  if (value.empty()) return unfit("the constant has no value");
  return std::vector{TensorInfo{value.type(), value.shape(), value}};
}

ReferenceResult reference(Attributes const& attributes, Arrays) {
  return std::vector{tensor(attributes, "value")};
}

template <typename T>
Result<NDArray> list_array(DType type, std::vector<T> const& list, bool scalar) {
  TRY_ASSIGN(NDArray array, NDArray::create(type, scalar ? Shape{} : Shape{int64_t(list.size())}));
  for (size_t i = 0; i < list.size(); ++i) array.set_value(int64_t(i), double(list[i]));
  return array;
}

Result<Converted> from_onnx(ForeignContext const& context) {
  ForeignNode const& node = context.node;
  NDArray value;
  if (auto found = node.attributes.find("value"); found != node.attributes.end())
    if (NDArray const* given = std::get_if<NDArray>(&found->second)) value = *given;
  if (onnx_has(node, "value_int")) {
    TRY_ASSIGN(value, list_array<int64_t>(DType::kI64, {onnx_integer(node, "value_int", 0)}, true));
  } else if (onnx_has(node, "value_float")) {
    TRY_ASSIGN(value, list_array<double>(DType::kF32, {onnx_number(node, "value_float", 0)}, true));
  } else if (onnx_has(node, "value_ints")) {
    TRY_ASSIGN(value, list_array(DType::kI64, onnx_integers(node, "value_ints"), false));
  } else if (onnx_has(node, "value_floats")) {
    auto found = node.attributes.find("value_floats");
    auto const* floats = std::get_if<std::vector<double>>(&found->second);
    TRY_ASSIGN(value, list_array(DType::kF32, floats ? *floats : std::vector<double>(), false));
  }
  if (value.empty()) return unsupported("a constant that is no dense tensor of numbers");
  return keep_inputs(context, 0, {{"value", value}});
}

RandomCase random_case(Rng& rng) {
  return {{{"value", random_array(rng, random_shape(rng, 2, 4))}}, {}};
}

}  // namespace

Operator const& op_constant() {
  static Operator const op{
      .name = "constant",
      .doc = "A tensor given by the model; folding turns it into a parameter.",
      .fusion = Fusion::kInjective,
      .attributes = {{"value", "the tensor"}},
      .infer = infer,
      .reference = reference,
      .onnx = "Constant",
      .onnx_attributes = {{"sparse_value", 11},
                          {"value"},
                          {"value_float", 12},
                          {"value_floats", 12},
                          {"value_int", 12},
                          {"value_ints", 12},
                          {"value_string", 12},
                          {"value_strings", 12}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
