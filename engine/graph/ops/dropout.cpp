#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

}  // namespace

Operator const& op_dropout() {
  static Operator const op = of_the_same({
      .name = "dropout",
      .doc = "The tensor unchanged: nothing is dropped at inference.",
  });
  return op;
}

}  // namespace tw
