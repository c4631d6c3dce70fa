#include "engine/graph/shared/extreme_index.h"

namespace tw::op_arg_min {

Operator const& row() {
  static Operator const op = ops::extreme_operator<false>({
      .name = "arg_min",
      .doc = "Index of the smallest element along an axis.",
  });
  return op;
}

}  // namespace tw::op_arg_min
