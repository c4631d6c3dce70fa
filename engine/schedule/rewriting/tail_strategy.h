/// How the parts of a block's domain that the iterations of a loop compute end where the domain
/// does: the last one may be shorter.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "engine/schedule/legality/region.h"
#include "engine/schedule/primitive.h"

namespace tw {

enum class TailStrategy : uint8_t {
  kGuard,         ///< each instance is asked whether it exists
  kRoundUp,       ///< the last part is as long as the others, in a tensor with room for it
  kShiftInwards,  ///< it is as long and begins earlier: some elements are computed again
};

/// guard, round_up, shift_inwards
std::vector<std::string> tail_words();
TailStrategy tail_strategy_of(std::string const& word);

/// A block with the parts that it computes, one span per iterator that may be cut.
struct Parts {
  ir::Stmt block;  ///< a Block, whose domain and tensor may have become larger
  std::vector<Span> spans;
};

/// The parts with the wished tail. `still` are the loops that the spans speak of. What a tail reads
/// is there on trust where nothing is to be proved. Errors:
/// no_remainder, part_begins_before, several_tails, part_longer_than_axis, not_a_spatial_axis,
/// reads_beyond, reads_itself, divides.
std::expected<Parts, Refusal> with_tail(TailStrategy tail, ir::Program const& program,
                                        ir::BlockSite const& site, std::vector<Span> const& spans,
                                        std::vector<ir::For const*> const& still,
                                        ProofBudget budget);

/// `nest_over` of such parts: without guards, where the tail needs none.
ir::Stmt nest_of_parts(TailStrategy tail, Parts const& parts,
                       std::vector<ir::For const*> const& around, std::vector<std::string> taken,
                       ir::Program& program);

}  // namespace tw
