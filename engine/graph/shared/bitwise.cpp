#include "engine/graph/shared/bitwise.h"

namespace tw::ops {

InferResult infer_bits(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_pair(attributes, inputs));
  if (!is_integer(infos[0].type)) return unfit("the operands are not tensors of integers");
  return infos;
}

ReferenceResult join_bytes(Arrays inputs, std::function<uint8_t(uint8_t, uint8_t)> const& f) {
  NDArray const &a = inputs[0], &b = inputs[1];
  TRY_ASSIGN(Shape shape, broadcast(a.shape(), b.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(a.type(), shape));
  auto const *x = static_cast<uint8_t const*>(a.data()), *y = static_cast<uint8_t const*>(b.data());
  auto* to = static_cast<uint8_t*>(out.data());
  int64_t size = size_of(a.type());
  for_each_broadcast(shape, {a.shape(), b.shape()}, [&](int64_t i, std::span<int64_t const> at) {
    for (int64_t byte = 0; byte < size; ++byte)
      to[i * size + byte] = f(x[at[0] * size + byte], y[at[1] * size + byte]);
  });
  return std::vector{out};
}

RandomCase random_bits(Rng& rng) {
  constexpr DType kTypes[] = {DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                              DType::kI32, DType::kU32, DType::kI64, DType::kU64};
  DType type = kTypes[rng.below(8)];
  RandomCase shapes = random_pair(rng), result;
  for (NDArray const& shape : shapes.inputs) {
    NDArray array = NDArray::create(type, shape.shape()).value();
    auto* bytes = static_cast<uint8_t*>(array.data());
    for (int64_t i = 0; i < array.size() * size_of(type); ++i) bytes[i] = uint8_t(rng.below(256));
    result.inputs.push_back(std::move(array));
  }
  return result;
}

}  // namespace tw::ops
