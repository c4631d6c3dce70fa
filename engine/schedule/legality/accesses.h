/// What blocks read and write, as functions of the loops.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"

namespace tw {

struct Access {
  size_t block = 0;  ///< index into the list of blocks
  std::string buffer;
  std::vector<ir::Expr>
      indices;  ///< of loop variables: the iterators are replaced by their bindings
  bool writes = false;
  bool update = false;  ///< the store of a reduction
  /// It happens where all of these hold: the sides of selects that lead to it, over loops.
  std::vector<ir::Expr> conditions = {};
  /// Of a call's operand: `indices` reach as many elements as these run over. Every access has axes
  /// of its own names. Legality asks programs without calls (written_out.h).
  std::vector<ir::OperandAxis> axes = {};
};

/// Every read of a block: in its guard and its bindings, in its init and its body, indices of other
/// reads and of stores among them. Whoever asks what a block reads asks here.
void walk_reads(ir::Block const& block, std::function<void(ir::Touched const&)> const& f);

/// All accesses of a block; `number` becomes their `block`.
std::vector<Access> accesses_of(ir::BlockSite const& site, size_t number = 0);

/// Accesses to buffers that one of the blocks writes, once each; `init` is included, tensors in
/// `except` are not.
std::vector<Access> shared_accesses(std::vector<ir::BlockSite> const& blocks,
                                    std::set<std::string> const& except = {});

/// Two iterations that differ in one of `loops` touch different elements of every buffer written
/// below (loops outside equal, the others free), for every loop for which the answer is true.
/// Proved with mixed-radix digits; false = not proved.
std::vector<bool> separated_loops(std::vector<ir::BlockSite> const& blocks,
                                  std::vector<ir::For const*> const& loops,
                                  std::set<std::string> const& except = {});

}  // namespace tw
