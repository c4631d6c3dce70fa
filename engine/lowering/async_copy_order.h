/// How copies that go on while others compute follow one another, and how long each may be left
/// under way.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/ir/stmt.h"
#include "engine/target/target.h"

namespace tw {

/// What is done one after the other: what ends a group of those that were started, and what waits
/// until at most `n` groups, its one number, are under way.
struct AsyncQueue {
  std::string name;  ///< in declarations; empty: copies
  ir::Intrinsic commit, wait;
  bool starts(ir::Stmt const& s) const;
  bool commits(ir::Stmt const& s) const;
  /// It starts some and does nothing else.
  bool starts_only(ir::Stmt const& root) const;
};

/// A call that starts something, of any queue.
bool starts_copy(ir::Stmt const& s);
/// A call of a barrier with phases, which orders copies and threads by itself.
bool has_phases(ir::Stmt const& s);
using IsOne = std::function<bool(ir::Stmt const&)>;
bool holds(ir::Stmt const& root, IsOne const& is_one);
/// A loop of blocks or threads: from outside one statement, that waits for its own copies.
bool is_launch(Target const& target, ir::Stmt const& s);
bool holds_outside_launches(Target const& target, ir::Stmt const& root, IsOne const& is_one);

/// Before which statements is waited, until how many groups are under way; of an allocation that
/// holds commits: before its tensor goes away. Null: at the end.
using Waits = std::map<ir::StmtNode const*, int64_t>;

/// The loops around a body: those whose threads run it together, and all others, the outermost
/// first.
struct LoopsAround {
  std::vector<ir::For const*> threads, others;
};

/// The latest waits that suffice for a body with its commits, each of them needed and with as many
/// groups under way as may be: no statement uses what a copy writes, or overwrites what it reads,
/// before it was waited for, no tensor of a copy goes away, and none is under way at the end. All
/// elements are compared; none: that would be too many, or data tell which they are, or the copies
/// of one group disturb one another.
///
/// Of a queue with a name boxes of tensors are compared; what its calls update they may update in
/// turn.
std::optional<Waits> latest_waits(Target const& target, AsyncQueue const& queue,
                                  ir::Stmt const& body, LoopsAround const& around);

/// The kernel with commits and waits of a queue. Errors: no_waits, where it has none and something
/// is started.
Result<ir::KernelIr> with_async_waits(ir::KernelIr const& kernel, Target const& target,
                                      AsyncQueue const& queue);

}  // namespace tw
