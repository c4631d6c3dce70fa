/// Calls that threads run together: what is not the same for all of these threads where one stands.
#pragma once

#include <string>
#include <vector>

#include "engine/arith/simplify.h"
#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"

namespace tw::cuda {

/// Goes through a device function and keeps what is known at each call: values of names, ranges of
/// loops, the loop that counts the threads that run a call together, and what stands around it that
/// these do not have in common.
class LaneWalk {
public:
  virtual ~LaneWalk() = default;

protected:
  void visit(ir::Stmt const& s);
  virtual void visit_call(ir::Stmt const& s, ir::IntrinsicCall const& call) = 0;
  virtual void visit_alloc(ir::Alloc const& alloc);

  /// Why the call that is looked at is not run by `threads` threads together; empty: it is.
  /// `called`: what these are, "the lanes of a warp".
  std::string why_apart(int64_t threads, char const* called) const;
  /// With names replaced by their values.
  ir::Expr known(ir::Expr const& e) const;

  ir::For const* lane_ = nullptr;  ///< along threadIdx.x
  arith::Ranges ranges_;
  Status status_;

private:
  void visit_loop(ir::For const& loop);
  void visit_if(ir::If const& test);
  bool differs(ir::Expr const& e) const;

  std::vector<ir::Expr> around_;  // that threads do not have in common
  ir::Substitution values_;       // of names
};

}  // namespace tw::cuda
