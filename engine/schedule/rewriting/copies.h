/// Copies of statements, with loops, blocks and tensors of their own.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "engine/ir/program.h"

namespace tw {

/// Names are free in `named` and among all copies that one object made.
class Copies {
public:
  Copies(ir::Program const& named, ir::Program& numbered) : named_(named), numbered_(numbered) {}

  /// What was called X, block or tensor, is called X with the suffix. Blocks that `goes_on` names
  /// add to a sum that another one starts.
  ir::Stmt copy(ir::Stmt const& s, std::string const& suffix,
                std::set<ir::BlockId> const& goes_on = {});
  /// Of a loop in what was copied last.
  ir::LoopId loop(ir::LoopId original) const { return loops_.at(original); }

private:
  std::string free_name(std::string const& wanted);

  ir::Program const& named_;
  ir::Program& numbered_;
  std::set<std::string> taken_;
  std::map<ir::LoopId, ir::LoopId> loops_;
};

}  // namespace tw
