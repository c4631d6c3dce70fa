#include "engine/importers/onnx/known_types.h"

#include <algorithm>
#include <array>

#include "engine/graph/operator.h"
#include "engine/importers/onnx/converters.h"

namespace tw {
namespace {

constexpr char kOwn[] = "";  // the format's own
constexpr char kRuntime[] = "com.microsoft";
constexpr int kNone = -1, kLikeFirst = 0;

/// An operator whose first result has the shape that another operator, which is computed, gives
/// for some of the operands.
struct Likeness {
  char const* domain;
  char const* name;
  char const* like;             ///< ONNX's name; "": the operand's own shape
  std::array<int, 3> operands;  ///< places of the other operator's operands
  int typed_by;                 ///< the operand whose element type the result has; kNone: `type`
  DType type = DType::kF32;     ///< where no operand tells
};

constexpr Likeness kLikenesses[] = {
    {kOwn, "QuantizeLinear", "", {0, kNone, kNone}, 2, DType::kU8},
    {kOwn, "DequantizeLinear", "", {0, kNone, kNone}, 1},
    {kOwn, "DynamicQuantizeLinear", "", {0, kNone, kNone}, kNone, DType::kU8},
    {kOwn, "QLinearConv", "Conv", {0, 3, kNone}, 7, DType::kU8},
    {kOwn, "ConvInteger", "Conv", {0, 1, kNone}, kNone, DType::kI32},
    {kOwn, "QLinearMatMul", "MatMul", {0, 3, kNone}, 7, DType::kU8},
    {kOwn, "MatMulInteger", "MatMul", {0, 1, kNone}, kNone, DType::kI32},
    {kOwn, "BitShift", "Add", {0, 1, kNone}, kLikeFirst},
    {kOwn, "BitwiseAnd", "Add", {0, 1, kNone}, kLikeFirst},
    {kOwn, "BitwiseOr", "Add", {0, 1, kNone}, kLikeFirst},
    {kOwn, "BitwiseXor", "Add", {0, 1, kNone}, kLikeFirst},
    {kOwn, "BitwiseNot", "", {0, kNone, kNone}, kLikeFirst},
    {kOwn, "Bernoulli", "", {0, kNone, kNone}, kLikeFirst},
    {kOwn, "LpNormalization", "", {0, kNone, kNone}, kLikeFirst},
    {kOwn, "RandomNormalLike", "", {0, kNone, kNone}, kLikeFirst},
    {kOwn, "RandomUniformLike", "", {0, kNone, kNone}, kLikeFirst},
    {kOwn, "ReverseSequence", "", {0, kNone, kNone}, kLikeFirst},
    {kOwn, "Scatter", "", {0, kNone, kNone}, kLikeFirst},
    {kOwn, "ScatterElements", "", {0, kNone, kNone}, kLikeFirst},
    {kOwn, "ScatterND", "", {0, kNone, kNone}, kLikeFirst},
    {kRuntime, "QuantizeLinear", "", {0, kNone, kNone}, 2, DType::kU8},
    {kRuntime, "DequantizeLinear", "", {0, kNone, kNone}, 1},
    {kRuntime, "QLinearAdd", "Add", {0, 3, kNone}, kLikeFirst},
    {kRuntime, "QLinearMul", "Add", {0, 3, kNone}, kLikeFirst},
    {kRuntime, "QLinearSigmoid", "", {0, kNone, kNone}, kLikeFirst},
    {kRuntime, "QLinearLeakyRelu", "", {0, kNone, kNone}, kLikeFirst},
    {kRuntime, "QLinearSoftmax", "", {0, kNone, kNone}, kLikeFirst},
    {kRuntime, "QLinearAveragePool", "AveragePool", {0, kNone, kNone}, kLikeFirst},
    {kRuntime, "QLinearGlobalAveragePool", "GlobalAveragePool", {0, kNone, kNone}, kLikeFirst},
    {kRuntime, "QGemm", "Gemm", {0, 3, kNone}, 8},
    {kRuntime, "FusedConv", "Conv", {0, 1, kNone}, kLikeFirst},
    {kRuntime, "Gelu", "", {0, kNone, kNone}, kLikeFirst},
    {kRuntime, "FastGelu", "", {0, kNone, kNone}, kLikeFirst},
    {kRuntime, "QuickGelu", "", {0, kNone, kNone}, kLikeFirst},
};

Value const* given(std::vector<Value> const& operands, int place) {
  bool there =
      place >= 0 && size_t(place) < operands.size() && !operands[size_t(place)].name.empty();
  return there ? &operands[size_t(place)] : nullptr;
}

std::optional<DType> type_like(Likeness const& row, ForeignContext const& context,
                               std::vector<Value> const& operands) {
  Value const* operand = given(operands, row.typed_by);
  if (operand) return operand->type.dtype;
  int64_t named = rules::foreign_integer(context.node, "output_dtype", 0);
  return named != 0                   ? rules::onnx_dtype(named)
         : row.typed_by == kLikeFirst ? std::nullopt
                                      : std::optional(row.type);
}

/// The shape by the other operator's rule. It is asked as if for f32, which every rule takes.
std::optional<std::vector<ir::Expr>> dims_like(Likeness const& row, ForeignContext const& context,
                                               std::vector<Value> const& operands) {
  Converter const* rule = find_converter(onnx_converters(), row.like);
  Operator const* op = rule ? find_operator(rule->op) : nullptr;
  ForeignNode node = context.node;
  node.op_type = row.like;
  node.domain = kOwn;
  node.inputs.clear();
  ForeignContext other{node, context.opset, {}, {}};
  std::vector<TensorInfo> infos;
  for (int place : row.operands) {
    if (place == kNone) break;
    Value const* operand = given(operands, place);
    std::optional<Shape> shape = operand ? operand->shape() : std::nullopt;
    if (!shape) return std::nullopt;
    node.inputs.push_back(operand->name);
    other.constants.push_back(operand->constant);  // windows are as large as the weights
    other.ranks.push_back(int(shape->size()));
    infos.push_back({DType::kF32, *shape, {}});
  }
  auto converted = op ? rule->convert(other) : bad_input("unsupported", "");
  if (!converted) return std::nullopt;
  std::vector<TensorInfo const*> pointers;
  for (TensorInfo const& info : infos) pointers.push_back(&info);
  auto made = op->infer(converted->attributes, pointers);
  if (!made || made->empty()) return std::nullopt;
  return tensor_type(DType::kF32, made->front().shape).dims;
}

/// What quantizes gives its scale and its zero besides.
void add_scale_and_zero(ForeignContext const& context, std::vector<ValueType>& types) {
  if (context.node.op_type != "DynamicQuantizeLinear") return;
  types.push_back(tensor_type(DType::kF32, {}));
  types.push_back(tensor_type(DType::kU8, {}));
}

/// Y_scale, Y_zero, then a tensor, its scale and its zero for each part.
std::vector<ValueType> type_of_quantized_concat(ForeignContext const& context,
                                                std::vector<Value> const& operands) {
  std::optional<Shape> whole;
  std::optional<DType> type;
  for (size_t i = 2; i < operands.size(); i += 3) {
    std::optional<Shape> part = operands[i].shape();
    int64_t axis = rules::foreign_integer(context.node, "axis", 0);
    if (!part) return {};
    axis += axis < 0 ? int64_t(part->size()) : 0;
    if (axis < 0 || axis >= int64_t(part->size())) return {};
    type = operands[i].type.dtype;
    if (!whole)
      whole = part;
    else if (whole->size() != part->size())
      return {};
    else
      (*whole)[size_t(axis)] += (*part)[size_t(axis)];
  }
  if (!whole || !type || !element_count(*whole)) return {};
  return {tensor_type(*type, *whole)};
}

}  // namespace

std::vector<ValueType> onnx_known_types(ForeignContext const& context,
                                        std::vector<Value> const& operands) {
  ForeignNode const& node = context.node;
  if (node.domain == kRuntime && node.op_type == "QLinearConcat")
    return type_of_quantized_concat(context, operands);
  auto row = std::ranges::find_if(kLikenesses, [&](Likeness const& likeness) {
    return node.op_type == likeness.name &&
           (likeness.domain == kOwn ? onnx_converters().owns(node.domain)
                                    : node.domain == likeness.domain);
  });
  // Channels may be the last axis instead.
  bool turned = rules::foreign_integer(node, "channels_last", 0) != 0;
  if (row == std::end(kLikenesses) || turned) return {};
  Value const* first = given(operands, row->operands[0]);
  if (!first || first->type.kind != ValueKind::kTensor) return {};
  ValueType type{ValueKind::kTensor, type_like(*row, context, operands), {}};
  type.dims = *row->like ? dims_like(*row, context, operands) : first->type.dims;
  std::vector<ValueType> types{std::move(type)};
  add_scale_and_zero(context, types);
  return types;
}

}  // namespace tw
