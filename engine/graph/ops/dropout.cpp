#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_dropout {
namespace {

using namespace ops;

}  // namespace

Operator const& row() {
  static Operator const op = of_the_same({
      .name = "dropout",
      .doc = "The tensor unchanged: nothing is dropped at inference.",
  });
  return op;
}

}  // namespace tw::op_dropout
