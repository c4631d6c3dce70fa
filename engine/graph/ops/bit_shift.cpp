#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_bit_shift {
namespace {

using namespace ops;

bool is_unsigned(DType type) { return is_integer(type) && !is_signed(type); }

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_pair(attributes, inputs));
  if (!is_unsigned(infos[0].type))
    return unsupported("shifting bits of types other than unsigned integers");
  return infos;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  bool left = integer(attributes, "left") != 0;
  return join_compute(inputs, name, [=](ir::Expr a, ir::Expr b) {
    return ir::binary(left ? ir::BinaryOp::kShiftLeft : ir::BinaryOp::kShiftRight, a, b);
  });
}

template <typename T>
void shift(Arrays inputs, NDArray& out, bool left) {
  constexpr uint64_t kWidth = 8 * sizeof(T);
  auto a = inputs[0].as<T>(), b = inputs[1].as<T>();
  auto to = out.as<T>();
  for_each_broadcast(out.shape(), {inputs[0].shape(), inputs[1].shape()},
                     [&](int64_t i, std::span<int64_t const> at) {
                       uint64_t x = a[size_t(at[0])], places = b[size_t(at[1])];
                       to[size_t(i)] =
                           places >= kWidth ? T(0) : T(left ? x << places : x >> places);
                     });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(Shape shape, broadcast(inputs[0].shape(), inputs[1].shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(), shape));
  bool left = integer(attributes, "left") != 0;
  switch (size_of(out.type())) {
    case 1:
      shift<uint8_t>(inputs, out, left);
      break;
    case 2:
      shift<uint16_t>(inputs, out, left);
      break;
    case 4:
      shift<uint32_t>(inputs, out, left);
      break;
    default:
      shift<uint64_t>(inputs, out, left);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  constexpr DType kTypes[] = {DType::kU8, DType::kU16, DType::kU32, DType::kU64};
  DType type = kTypes[rng.below(4)];
  RandomCase shapes = random_pair(rng);
  RandomCase result{{{"left", rng.below(2)}},
                    {random_array(rng, shapes.inputs[0].shape(), type),
                     random_array(rng, shapes.inputs[1].shape(), type)}};
  int64_t width = 8 * size_of(type);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    result.inputs[0].set_value(
        i, std::floor(std::ldexp(rng.uniform(), int(std::min<int64_t>(width, 53)))));
  for (int64_t i = 0; i < result.inputs[1].size(); ++i)
    result.inputs[1].set_value(i, double(rng.below(width + 2)));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = of_two({
      .name = "bit_shift",
      .doc = "The bits of an unsigned integer shifted left or right.",
      .attributes = {{"left", "1: left, else right"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_bit_shift
