#include <algorithm>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_shift_right {
namespace {

using namespace ops;

constexpr int64_t kMostPlaces = 15;  // that a processor for integers takes from a tensor

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_pair(attributes, inputs));
  if (infos[0].type != DType::kI32) return unfit("sums in i32 are shifted");
  return infos;
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  auto number = [](int64_t value) { return ir::int_imm(value, DType::kI32); };
  return join_compute(inputs, name, [&](ir::Expr x, ir::Expr places) {
    ir::Expr taken = ir::min(ir::max(places, number(0)), number(kMostPlaces));
    return ir::binary(ir::BinaryOp::kShiftRight, x, taken);
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return join_elements(inputs, nullptr, [](int64_t x, int64_t places, DType) {
    return x >> std::clamp<int64_t>(places, 0, kMostPlaces);
  });
}

RandomCase random_case(Rng& rng) {
  RandomCase shapes = random_pair(rng);
  RandomCase result{{},
                    {random_array(rng, shapes.inputs[0].shape(), DType::kI32),
                     random_array(rng, shapes.inputs[1].shape(), DType::kI32)}};
  NDArray &x = result.inputs[0], &places = result.inputs[1];
  for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(rng.between(-100000, 100000)));
  for (int64_t i = 0; i < places.size(); ++i) places.set_value(i, double(rng.between(-3, 20)));
  add_extremes(rng, result.inputs);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = of_two({
      .name = "shift_right",
      .doc = "Sums in i32, each shifted to the right by as many places as another tensor says, 0 "
             "to 15 (what is beyond counts as these). The sign stays.",
      .inputs = {"X", "places"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_shift_right
