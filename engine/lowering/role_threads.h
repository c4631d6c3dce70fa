/// Which threads of a block fill tiles while the others compute with them (`split_roles`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/stmt.h"
#include "engine/support/base/error.h"
#include "engine/target/target.h"

namespace tw {

std::unexpected<Error> no_roles(std::string why);

/// The threads that compute are those of a launch. As many again fill, in a plane of their own; or
/// fewer, in further iterations of the launch's outermost axis, which do by turns what so many
/// would do.
class RoleThreads {
public:
  /// Those of a launch from its outermost loop of threads on. Errors: no_roles.
  static Result<RoleThreads> of(Target const& target, ir::Stmt const& launch);
  /// How many fill; nothing: as many as compute. Errors: no_roles, where that makes no box of
  /// threads, or more than a block may have.
  Status choose(std::optional<int64_t> filling);

  ir::Stmt const& body() const { return body_; }  ///< of a thread of the launch
  int64_t computing() const { return computing_; }
  int64_t filling() const { return filling_; }
  /// Whether a thread is one of those that fill.
  ir::Expr fills() const;
  /// What all threads of the launch would do together, done by those that fill.
  ir::Stmt by_turns(ir::Stmt const& s) const;
  /// The loops of all threads around what they do.
  ir::Stmt launched(ir::Stmt body) const;

private:
  Target const* target_ = nullptr;
  std::vector<ir::For const*> loops_;  ///< outermost first
  ir::Stmt body_;
  int64_t computing_ = 1, filling_ = 1;
  ir::For const* longer_ = nullptr;  ///< the one that has further iterations; null: a plane has
  int64_t extent_ = 0, more_ = 0;    ///< of it: iterations before, and further ones
};

}  // namespace tw
