#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_relu {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::max(x, immediate(0, x.type())); },
    .number = [](double v) { return v < 0 ? 0 : v; },
    .whole = [](int64_t v, DType type) { return is_below(v, 0, type) ? 0 : v; },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "relu",
      .doc = "Larger of the element and zero.",
      .infer = infer_same,
  });
  return op;
}

}  // namespace tw::op_relu
