#include "engine/analysis/counted_operations.h"

#include <algorithm>

#include "engine/ir/rewrite.h"

namespace tw::analysis {
namespace {

double operations_of(ir::BlockSite const& site) {
  bool sums = std::ranges::any_of(site.block->iters, [](ir::IterVar const& iter) {
    return iter.kind == ir::IterKind::kReduce;
  });
  auto const* store = site.block->body.as<ir::Store>();
  if (!sums || !store) return 0;
  double operations = 0;
  ir::walk(store->value, [&](ir::Expr const& e) {
    auto const* product = e.as<ir::Binary>();
    if (product && product->op == ir::BinaryOp::kMul && is_integer(e.type())) operations += 2;
    return e.as<ir::Load>() == nullptr;  // what is computed of indices does not count
  });
  for (ir::For const* loop : site.loops) operations *= double(ir::as_int(loop->extent).value_or(1));
  return operations;
}

}  // namespace

std::string counted_type(Roofs const& roofs) {
  bool floats = roofs.compute.empty() || roofs.best("f32") != Rate();
  return floats ? "f32" : roofs.compute.front().type;
}

std::string arithmetic_unit(std::string_view type) {
  return type.starts_with('f') || type.starts_with("bf") ? "GFLOP/s" : "GOP/s";
}

double integer_operations(ir::Program const& plain) {
  double operations = 0;
  for (ir::BlockSite const& site : ir::blocks_of(plain.body)) operations += operations_of(site);
  return operations;
}

}  // namespace tw::analysis
