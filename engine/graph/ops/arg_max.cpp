#include "engine/graph/shared/extreme_index.h"

namespace tw::op_arg_max {

Operator const& row() {
  static Operator const op = ops::extreme_operator<true>({
      .name = "arg_max",
      .doc = "Index of the largest element along an axis.",
  });
  return op;
}

}  // namespace tw::op_arg_max
