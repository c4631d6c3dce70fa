#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_identity {

Operator const& row() {
  static Operator const op = ops::of_the_same({
      .name = "identity",
      .doc = "The tensor unchanged.",
  });
  return op;
}

}  // namespace tw::op_identity
