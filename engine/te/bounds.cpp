#include "engine/te/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw::te {
namespace {

struct Extremes {
  int64_t low = 0, high = 0;
};

std::optional<int64_t> extent_of(Stage const& stage, std::string const& axis) {
  for (auto const* list : {&stage.axes, &stage.reduce})
    for (Axis const& candidate : *list)
      if (candidate.name == axis) return candidate.extent;
  return std::nullopt;
}

/// Both ends are reached: each axis occurs once in a linear form, and all run independently.
std::optional<Extremes> extremes(Stage const& stage, Expr const& index) {
  arith::Linear linear = arith::to_linear(index);
  Extremes ends{linear.constant, linear.constant};
  for (auto const& [term, factor] : linear.terms) {
    auto const* axis = term.as<ir::Variable>();
    auto extent = axis ? extent_of(stage, axis->name) : std::nullopt;
    if (!extent) return std::nullopt;
    int64_t far = 0;
    if (__builtin_mul_overflow(factor, *extent - 1, &far) ||
        __builtin_add_overflow(far < 0 ? ends.low : ends.high, far,
                               far < 0 ? &ends.low : &ends.high))
      return std::nullopt;
  }
  return ends;
}

/// The interval of an index, as long as its arithmetic stays inside of 64 bits. `overflows` is set
/// where it does not; what depends on data has no interval.
class IndexRange {
public:
  explicit IndexRange(Stage const& stage) : stage_(stage) {}
  bool overflows = false;

  std::optional<Extremes> of(Expr const& e) {
    if (auto const* literal = e.as<ir::IntImm>()) return Extremes{literal->value, literal->value};
    if (auto const* axis = e.as<ir::Variable>()) {
      auto extent = extent_of(stage_, axis->name);
      return extent ? std::optional(Extremes{0, *extent - 1}) : std::nullopt;
    }
    if (auto const* node = e.as<ir::Unary>(); node && node->op == ir::UnaryOp::kNeg)
      return combined(ir::BinaryOp::kSub, Extremes{0, 0}, of(node->a));
    if (auto const* node = e.as<ir::Select>()) {
      auto a = of(node->a), b = of(node->b);
      if (!a || !b) return std::nullopt;
      return Extremes{std::min(a->low, b->low), std::max(a->high, b->high)};
    }
    auto const* node = e.as<ir::Binary>();
    if (!node || !is_integer(node->a.type())) return std::nullopt;
    auto a = of(node->a), b = of(node->b);
    return combined(node->op, a, b);
  }

private:
  using Operation = bool (*)(int64_t, int64_t, int64_t*);

  std::optional<Extremes> combined(ir::BinaryOp op, std::optional<Extremes> a,
                                   std::optional<Extremes> b) {
    if (!a || !b) return std::nullopt;
    switch (op) {
      case ir::BinaryOp::kAdd:
        return corners(*a, *b, [](int64_t x, int64_t y, int64_t* z) {
          return __builtin_add_overflow(x, y, z);
        });
      case ir::BinaryOp::kSub:
        return corners(*a, *b, [](int64_t x, int64_t y, int64_t* z) {
          return __builtin_sub_overflow(x, y, z);
        });
      case ir::BinaryOp::kMul:
        return corners(*a, *b, [](int64_t x, int64_t y, int64_t* z) {
          return __builtin_mul_overflow(x, y, z);
        });
      case ir::BinaryOp::kFloorMod:
        return b->low > 0 ? std::optional(Extremes{0, b->high - 1}) : std::nullopt;
      default:  // smaller than what it is made of, as far as it matters
        return std::nullopt;
    }
  }

  std::optional<Extremes> corners(Extremes const& a, Extremes const& b, Operation operation) {
    int64_t values[4] = {};
    bool over = operation(a.low, b.low, &values[0]) || operation(a.low, b.high, &values[1]) ||
                operation(a.high, b.low, &values[2]) || operation(a.high, b.high, &values[3]);
    overflows = overflows || over;
    if (over) return std::nullopt;
    auto [low, high] = std::minmax_element(values, values + 4);
    return Extremes{*low, *high};
  }

  Stage const& stage_;
};

/// Indices are whole numbers of 64 bits, and so is everything that they are made of.
Status verify_width(Stage const& stage, ir::Load const& read) {
  for (Expr const& index : read.indices) {
    IndexRange range(stage);
    (void)range.of(index);
    if (range.overflows)
      return bad_input("index_overflows",
                       fmt::format("stage {} reads '{}' at {}, which does not fit in 64 bits",
                                   stage.output->name, read.buffer->name, ir::to_text(index)));
  }
  return {};
}

Status verify_read(Stage const& stage, ir::Load const& read) {
  auto shape = ir::constant_shape(*read.buffer);
  if (!shape || shape->size() != read.indices.size()) return {};
  for (size_t d = 0; d < shape->size(); ++d) {
    auto ends = extremes(stage, read.indices[d]);
    if (!ends || (ends->low >= 0 && ends->high < (*shape)[d])) continue;
    return bad_input(
        "outside_of_tensor",
        fmt::format("stage {} reads '{}' out of bounds: its index {} ranges from {} to {}, but "
                    "dimension {} only from 0 to {}",
                    stage.output->name, read.buffer->name, ir::to_text(read.indices[d]), ends->low,
                    ends->high, d, (*shape)[d] - 1));
  }
  return {};
}

}  // namespace

Status verify_bounds(Stage const& stage) {
  Status status;
  ir::walk(stage.body, [&](Expr const& e) {
    if (auto const* read = e.as<ir::Load>(); read && status) status = verify_width(stage, *read);
    return status.has_value();
  });
  ir::walk(stage.body, [&](Expr const& e) {
    if (!status || e.as<ir::Select>()) return false;
    if (auto const* read = e.as<ir::Load>()) status = verify_read(stage, *read);
    return status.has_value();
  });
  return status;
}

}  // namespace tw::te
