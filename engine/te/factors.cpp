#include "engine/te/factors.h"

namespace tw::te {
namespace {

/// Without casts, and of a choice what is chosen: padding is of no type of its own.
Expr bare(Expr e) {
  for (;;) {
    if (auto const* cast = e.as<ir::Cast>())
      e = cast->a;
    else if (auto const* choice = e.as<ir::Select>())
      e = choice->a;
    else
      return e;
  }
}

std::optional<DType> factors_of(Stage const& stage) {
  if (stage.combiner != Combiner::kSum) return std::nullopt;
  Expr body = bare(stage.body);
  auto const* product = body.as<ir::Binary>();
  if (!product || product->op != ir::BinaryOp::kMul) return std::nullopt;
  DType left = bare(product->a).type(), right = bare(product->b).type();
  if (left != right) return std::nullopt;
  return left;
}

}  // namespace

int64_t points_of(Stage const& stage) {
  int64_t points = 1;
  for (auto const* list : {&stage.axes, &stage.reduce})
    for (Axis const& axis : *list) points *= axis.extent;
  return points;
}

std::optional<DType> type_of_factors(Kernel const& kernel) {
  std::optional<DType> type;
  int64_t most = 0;
  for (Stage const& stage : kernel.stages) {
    std::optional<DType> factors = factors_of(stage);
    if (!factors || points_of(stage) <= most) continue;
    most = points_of(stage);
    type = factors;
  }
  return type;
}

}  // namespace tw::te
