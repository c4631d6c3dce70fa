/// How copies that go on while others compute follow one another, and how long each may be left
/// under way.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "engine/ir/stmt.h"
#include "engine/target/target.h"

namespace tw {

/// A call that starts a copy; one that ends a group of them.
bool starts_copy(ir::Stmt const& s);
bool is_commit(ir::Stmt const& s);
bool holds(ir::Stmt const& root, bool (*is_one)(ir::Stmt const&));
/// A loop of blocks or threads: from outside one statement, that waits for its own copies.
bool is_launch(Target const& target, ir::Stmt const& s);
bool holds_outside_launches(Target const& target, ir::Stmt const& root,
                            bool (*is_one)(ir::Stmt const&));
/// It starts copies and does nothing else.
bool copies_only(ir::Stmt const& root);

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
std::optional<Waits> latest_waits(Target const& target, ir::Stmt const& body,
                                  LoopsAround const& around);

}  // namespace tw
