#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/graph/shared/elements.h"

namespace tw::op_cast {
namespace {

using namespace ops;

Result<DType> target(Attributes const& attributes) {
  std::string name = text(attributes, "type");
  if (auto type = parse_dtype(name)) return *type;
  return unfit(fmt::format("there is no type '{}'", name));
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(DType type, target(attributes));
  return one(type, inputs[0]->shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(DType type, target(attributes));
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  return single(te::compute(name, axes, ir::cast(type, ir::load(inputs[0], te::vars(axes))), name));
}

/// The element without a detour over doubles, which hold 53 bits; floats lose their fraction.
int64_t truncated_at(NDArray const& x, int64_t i) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (x.type() == DType::kI64) return x.as<int64_t>()[size_t(i)];
  if (x.type() == DType::kU64) return int64_t(x.as<uint64_t>()[size_t(i)]);
  double value = x.value_at(i);
  if (std::isnan(value)) return 0;
  if (value >= kLimit) return INT64_MAX;
  return value < -kLimit ? INT64_MIN : int64_t(value);
}

/// Keeps the low bits, as C++ and numpy do.
void store_integer(NDArray& out, int64_t i, int64_t value) {
  auto bytes = size_t(size_of(out.type()));
  auto* to = static_cast<unsigned char*>(out.data()) + size_t(i) * bytes;
  for (size_t b = 0; b < bytes; ++b) to[b] = static_cast<unsigned char>(uint64_t(value) >> (8 * b));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(DType type, target(attributes));
  TRY_ASSIGN(NDArray out, NDArray::create(type, x.shape()));
  for (int64_t i = 0; i < out.size(); ++i) {
    if (is_integer(type))
      store_integer(out, i, truncated_at(x, i));
    else
      out.set_value(i, x.value_at(i));
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  constexpr std::array<DType, 9> kTypes{DType::kF32, DType::kF64,  DType::kI8,
                                        DType::kU8,  DType::kI16,  DType::kI32,
                                        DType::kI64, DType::kBool, DType::kF16};
  DType from = kTypes[size_t(rng.below(int64_t(kTypes.size())))],
        to = kTypes[size_t(rng.below(int64_t(kTypes.size())))];
  RandomCase result{{{"type", std::string(to_text(to))}},
                    {random_array(rng, random_shape(rng, size_t(rng.between(1, 4)), 4), from)}};
  for (int64_t i = 0; is_float(from) && i < result.inputs[0].size(); ++i)
    result.inputs[0].set_value(i, rng.below(3) * rng.normal() * 200);  // zeros and fractions
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "cast",
      .doc =
          "The element converted to another type: to integers, floats lose their fraction; to "
          "smaller integers, the high bits are dropped.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"type", "the new type"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_cast
