#include "engine/graph/shared/pointwise_operators.h"

namespace tw {

Operator const& op_identity() {
  static Operator const op = ops::of_the_same({
      .name = "identity",
      .doc = "The tensor unchanged.",
  });
  return op;
}

}  // namespace tw
