/// Taking blocks out of nests and putting new nests in.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "engine/schedule/legality/region.h"
#include "engine/schedule/names.h"
#include "engine/schedule/primitive.h"

namespace tw {

/// The statement without the block and without loops and allocations that held nothing else; null
/// when nothing is left.
ir::Stmt without_block(ir::Stmt const& s, ir::BlockId block);
/// The statement without the allocation of a tensor; its body stays.
ir::Stmt without_alloc(ir::Stmt const& s, std::string const& buffer);
/// The statement with another tensor that lives as long as `tensor` does; as long as the statement
/// where that is allocated elsewhere.
ir::Stmt with_alloc_beside(ir::Stmt const& body, std::string const& tensor, ir::Buffer const& more);
/// `body`, of a loop or of the program, with `nest` right before the first statement that holds one
/// of `blocks`, or right after the last one. Allocations are no such statements: the nest comes as
/// far into them as what it stands beside, so that nothing stands between the two.
ir::Stmt insert_before(ir::Stmt const& body, ir::Stmt const& nest,
                       std::vector<ir::BlockId> const& blocks);
ir::Stmt insert_after(ir::Stmt const& body, ir::Stmt const& nest,
                      std::vector<ir::BlockId> const& blocks);
/// A loop's body with `nest` as its last statement, inside of all allocations that end there.
ir::Stmt append(ir::Stmt const& body, ir::Stmt const& nest);
/// The program with another body in one loop.
void set_loop_body(ir::Program& program, ir::LoopId loop, ir::Stmt const& body);

/// The values that a block's iterators take in its loops, as far as those of each can be told from
/// the others': a part of a partitioned nest has fewer than the iterators' extents say.
std::vector<arith::Interval> domains_of(ir::BlockSite const& site);

/// A nest that runs a block over `box`, one span per spatial iterator (in their order), with a loop
/// for each of its runs; reduce iterators run whole. Guards are added where the box may leave the
/// iterators' domains (empty: all that their extents say). `around` are the loops around, whose
/// names are taken.
ir::Stmt nest_over(ir::Block const& block, std::vector<Span> const& box,
                   std::vector<ir::For const*> const& around, std::vector<std::string> taken,
                   ir::Program& program, std::vector<arith::Interval> const& domains = {});

}  // namespace tw
