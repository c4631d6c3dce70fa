/// What conditions say about sums of a stage's axes and of what it reads: behind
/// `1 <= y && y < 57` the sum y-1 is from 0 to 55.
#pragma once

#include <vector>

#include "engine/arith/intervals.h"
#include "engine/arith/linear.h"
#include "engine/ir/op.h"
#include "engine/te/te.h"

namespace tw::te {

/// Intervals of integer expressions of one stage, narrowed by the conditions that hold.
class KnownSums {
public:
  explicit KnownSums(Stage const& stage) : stage_(&stage) {}

  /// From here on `condition` is as `holds` says. What it says of anything but sums is passed over.
  void assume(Expr const& condition, bool holds);

  /// Holds every value of the expression; empty: the conditions cannot hold together. What wraps,
  /// or is read from a tensor, may be any number of its type.
  arith::WideInterval of(Expr const& e) const;

private:
  struct Fact {
    arith::Linear sum;  // without a constant; its first factor is positive, all have no common one
    arith::WideInterval range;
  };
  void compare(ir::BinaryOp op, Expr const& a, Expr const& b);
  void learn(arith::Linear sum, arith::WideInterval range);
  arith::WideInterval term(Expr const& e) const;
  arith::WideInterval sum(arith::Linear const& linear) const;
  arith::WideInterval parts(Expr const& e) const;
  arith::WideInterval either(ir::Select const& node) const;
  arith::WideInterval said_of(Expr const& e) const;
  arith::Linear exact_sum(Expr const& e) const;

  Stage const* stage_;
  std::vector<Fact> facts_;
  bool impossible_ = false;  // the conditions contradict one another
};

}  // namespace tw::te
