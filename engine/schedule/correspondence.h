/// Which loops, blocks and tensors of one program play the parts of which of another one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/program.h"

namespace tw {

/// Begins with two plain programs and follows both while the same steps are taken. Blocks are
/// matched by operator, then by name, then by whether they reduce; axes of matched blocks by role,
/// then by name, then by kind (spatial ones from the innermost, others from the outermost); loops
/// by the axes that they run over and by how many loops outside of them run over the same axis.
class Correspondence {
public:
  Correspondence(ir::Program const& from, ir::Program const& to);

  /// One step later in both: what is new in one is matched with what is new in the other; `made`
  /// are the names that the step gave to the loops it made.
  void follow(ir::Program const& from, ir::Program const& to,
              std::vector<std::string> const& made_from, std::vector<std::string> const& made_to);
  /// One step later in the first only: what is new there has no match and gets none.
  void pass_over(ir::Program const& from);

  std::optional<ir::BlockId> block(ir::BlockId from) const;
  std::optional<ir::LoopId> loop(ir::LoopId from) const;
  /// The tensor that `to` reads or writes in the place of `name`, for the block that a step names.
  std::optional<std::string> tensor(ir::Program const& from, ir::Program const& to,
                                    ir::BlockId reader, std::string const& name) const;

  /// "C.i is conv2d.o (by kind)" for every loop of the plain programs; "relu has no match".
  std::vector<std::string> const& words() const { return words_; }

private:
  void match_blocks(std::vector<ir::BlockSite> from, std::vector<ir::BlockSite> to);
  void match_made(ir::Program const& from, ir::Program const& to,
                  std::vector<std::string> const& made_from,
                  std::vector<std::string> const& made_to);
  void match_loops(ir::Program const& from, ir::Program const& to);
  void note_words(ir::Program const& from, ir::Program const& to);

  std::map<ir::BlockId, ir::BlockId> blocks_;
  std::map<ir::LoopId, ir::LoopId> loops_;
  std::set<ir::BlockId> seen_blocks_from_, seen_blocks_to_;
  std::set<ir::LoopId> seen_loops_from_, seen_loops_to_;
  std::vector<std::string> words_;
};

}  // namespace tw
