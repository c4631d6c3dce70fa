#include "engine/te/bounds.h"

#include <fmt/format.h>

#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/ir/text.h"
#include "engine/te/axis_values.h"
#include "engine/te/known_sums.h"

namespace tw::te {
namespace {

using arith::WideInterval;

/// Made of axes and numbers alone.
bool is_index(Expr const& e) { return is_integer(e.type()) && !ir::reads_tensor(e); }

/// Goes through a stage's expression, with the conditions that hold at each place.
class Reads {
public:
  explicit Reads(Stage const& stage) : stage_(stage) {}

  Status verify(Expr const& root) {
    visit(root, {});
    return status_;
  }

private:
  void visit(Expr const& root, Path const& path) {
    ir::walk(root, [&](Expr const& e) {
      if (!status_) return false;
      if (auto const* node = e.as<ir::Select>()) {
        visit(node->condition, path);
        visit(node->a, path.and_then(node->condition, true));
        visit(node->b, path.and_then(node->condition, false));
        return false;
      }
      auto const* node = e.as<ir::Binary>();
      if (node && (node->op == ir::BinaryOp::kAnd || node->op == ir::BinaryOp::kOr)) {
        visit(node->a, path);
        visit(node->b, path.and_then(node->a, node->op == ir::BinaryOp::kAnd));
        return false;
      }
      check(e, path);
      return status_.has_value();
    });
  }

  void check(Expr const& e, Path const& path) {
    if (auto const* read = e.as<ir::Load>()) return check_read(*read, path);
    auto const* node = e.as<ir::Binary>();
    bool divides =
        node && (node->op == ir::BinaryOp::kFloorDiv || node->op == ir::BinaryOp::kFloorMod);
    if (divides && is_index(node->b)) check_divisor(e, node->b, path);
    if (status_ && e.type() == DType::kI64 && is_index(e)) check_width(e);
  }

  /// What is made of axes alone never wraps: each operator by itself, whatever stands before it.
  void check_width(Expr const& e) {
    KnownSums plain(stage_);
    WideInterval exact{0, 0};
    if (auto const* node = e.as<ir::Binary>())
      exact = arith::interval_of(node->op, DType::kI64, plain.of(node->a), plain.of(node->b));
    else if (auto const* function = e.as<ir::Unary>())
      exact = arith::interval_of(function->op, DType::kI64, plain.of(function->a));
    if (exact.empty() || within(exact, arith::values_of(DType::kI64))) return;
    status_ =
        bad_input("index_overflows", fmt::format("stage {} computes {}, which does not fit in "
                                                 "64 bits",
                                                 stage_.output->name, ir::to_text(e)));
  }

  void check_divisor(Expr const& e, Expr const& divisor, Path const& path) {
    WideInterval range = known(path).of(divisor);
    if (range.empty() || range.low > 0 || range.high < 0) return;
    auto found = find_values(stage_, divisor, path, [](int64_t value) { return value == 0; });
    if (!found || !*found) return;
    status_ = bad_input("division_by_zero",
                        fmt::format("stage {} divides by zero in {}{}", stage_.output->name,
                                    ir::to_text(e), (*found)->at()));
  }

  void check_read(ir::Load const& read, Path const& path) {
    auto shape = ir::constant_shape(*read.buffer);
    if (!shape || shape->size() != read.indices.size()) return;
    for (size_t d = 0; d < shape->size() && status_; ++d) check_index(read, d, (*shape)[d], path);
  }

  void check_index(ir::Load const& read, size_t d, int64_t extent, Path const& path) {
    Expr const& index = read.indices[d];
    WideInterval range = known(path).of(index), inside{0, extent - 1};
    if (range.empty() || within(range, inside)) return;
    if (!is_index(index)) return not_bounded(read, d, extent);
    auto found = find_values(stage_, index, path,
                             [&](int64_t value) { return value < 0 || value >= extent; });
    if (!found) return not_bounded(read, d, extent);
    if (*found) outside(read, d, extent, range, **found, path);
  }

  /// A sum of axes is known to its ends; of anything else one value is shown.
  void outside(ir::Load const& read, size_t d, int64_t extent, WideInterval const& range,
               AxisValues const& values, Path const& path) {
    bool sum = path.empty() && is_sum_of_axes(read.indices[d]);
    std::string reach =
        sum ? fmt::format("ranges from {} to {}", int64_t(range.low), int64_t(range.high))
            : fmt::format("is {}{}", values.result, values.at());
    status_ = bad_input("outside_of_tensor",
                        fmt::format("stage {} reads '{}' out of bounds: its index {} {}, but "
                                    "dimension {} only from 0 to {}",
                                    stage_.output->name, read.buffer->name,
                                    ir::to_text(read.indices[d]), reach, d, extent - 1));
  }

  void not_bounded(ir::Load const& read, size_t d, int64_t extent) {
    std::string index = ir::to_text(read.indices[d]);
    status_ = bad_input(
        "index_not_bounded",
        fmt::format("stage {} reads '{}' at {}, which is not known to be from 0 to {} in dimension "
                    "{}: bound it, as in max(0, min({}, {}))",
                    stage_.output->name, read.buffer->name, index, extent - 1, d, index,
                    extent - 1));
  }

  static bool is_sum_of_axes(Expr const& e) {
    for (auto const& part : arith::to_linear(e).terms)
      if (!part.term.as<ir::Variable>()) return false;
    return true;
  }

  KnownSums known(Path const& path) const {
    KnownSums sums(stage_);
    for (auto const& [condition, holds] : path.conditions) sums.assume(condition, holds);
    return sums;
  }

  Stage const& stage_;
  Status status_;
};

}  // namespace

Status verify_bounds(Stage const& stage) { return Reads(stage).verify(stage.body); }

}  // namespace tw::te
