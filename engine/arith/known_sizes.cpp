#include "engine/arith/known_sizes.h"

#include <algorithm>

#include "engine/ir/other_tensor.h"

namespace tw::arith {

using namespace ir;

int64_t size_value_count(std::vector<SizeParam> const& sizes) {
  int64_t count = 1;
  for (SizeParam const& size : sizes) {
    int64_t values = std::min(size.high - size.low, kMostSizeValues) + 1;
    count = std::min(count * std::max<int64_t>(values, 0), kMostSizeValues + 1);
  }
  return count;
}

std::vector<std::vector<int64_t>> all_size_values(std::vector<SizeParam> const& sizes) {
  std::vector<std::vector<int64_t>> all{{}};
  for (SizeParam const& size : sizes) {
    std::vector<std::vector<int64_t>> longer;
    for (std::vector<int64_t> const& values : all)
      for (int64_t value = size.low; value <= size.high; ++value) {
        longer.push_back(values);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

Ranges ranges_of(std::vector<SizeParam> const& sizes) {
  Ranges ranges;
  for (SizeParam const& size : sizes)
    ranges.set(size.var.to<Variable>().name, {size.low, size.high});
  return ranges;
}

namespace {

/// The result is a number of 64 bits: others are left as they are written.
bool stays_small(Binary const& node) {
  int64_t a = *as_int(node.a), b = *as_int(node.b), product = 0;
  constexpr int64_t kFar = int64_t(1) << 60;
  return a > -kFar && a < kFar && b > -kFar && b < kFar &&
         (node.op != BinaryOp::kMul || !__builtin_mul_overflow(a, b, &product));
}

}  // namespace

KnownSizes::KnownSizes(std::vector<SizeParam> const& sizes, std::vector<int64_t> const& values) {
  for (size_t i = 0; i < sizes.size(); ++i)
    values_[sizes[i].var.to<Variable>().name] = int_imm(values[i]);
}

Expr KnownSizes::visit(Expr const& e) {
  if (auto const* used = e.as<Variable>()) {
    auto value = values_.find(used->name);
    return value == values_.end() ? e : value->second;
  }
  Expr next = rebuild(e);
  if (next.as<Load>())
    return with_other_tensor(next, [&](Buffer const& one) { return tensor(one); });
  auto const* node = next.as<Binary>();
  if (!node || next.same_as(e) || !as_int(node->a) || !as_int(node->b)) return next;
  return stays_small(*node) ? simplify(next) : next;
}

Stmt KnownSizes::visit(Stmt const& s) {
  return with_other_tensor(rebuild(s), [&](Buffer const& one) { return tensor(one); });
}

Buffer KnownSizes::tensor(Buffer const& buffer) {
  if (constant_shape(*buffer)) return buffer;
  auto [known, added] = tensors_.emplace(buffer, nullptr);
  if (!added) return known->second;
  BufferNode node = *buffer;
  for (Expr& extent : node.shape) extent = visit(extent);
  return known->second = std::make_shared<BufferNode const>(std::move(node));
}

}  // namespace tw::arith
