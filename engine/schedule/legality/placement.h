/// Whether a block may run at another place of the program.
#pragma once

#include <expected>
#include <functional>
#include <set>
#include <string>

#include "engine/schedule/legality/dataflow_check.h"
#include "engine/schedule/legality/region.h"
#include "engine/schedule/legality/stages.h"

namespace tw {

/// The tensors that a block reads exist below `new_loops`.
std::expected<void, Refusal> inputs_in_scope(ir::Program const& program, ir::BlockSite const& block,
                                             std::vector<ir::For const*> const& new_loops,
                                             std::string const& verb);
/// What a block reads is there and whole below `new_loops`: its tensors are visible, and a loop
/// around both a writer and the new place stood around the block before, too. For tensors in
/// `exempt` another rule has shown the second part.
std::expected<void, Refusal> inputs_ready(ir::Program const& program, ir::BlockSite const& block,
                                          std::vector<ir::For const*> const& new_loops,
                                          std::vector<std::string> const& exempt,
                                          std::string const& verb);
/// What every block of a program that a step made uses still exists where it stands.
std::expected<void, Refusal> tensors_in_scope(ir::Program const& after, std::string const& verb);
/// In a program that a step made, all of `earlier` come before all of `later`: none is in one nest
/// with one of the others.
bool come_before(ir::Program const& after, std::vector<ir::BlockSite> const& earlier,
                 std::vector<ir::BlockSite> const& later);
/// The tensor that the block writes exists below `new_loops`.
std::expected<void, Refusal> output_in_scope(ir::Program const& program, ir::BlockSite const& block,
                                             std::vector<ir::For const*> const& new_loops,
                                             std::string const& verb);
/// What a block reads is written before the first block for which `here` holds.
std::expected<void, Refusal> inputs_precede(ir::Program const& program, ir::BlockSite const& block,
                                            std::function<bool(ir::BlockSite const&)> const& here,
                                            std::vector<std::string> const& exempt,
                                            std::string const& verb);
/// No loop of the place is a vector, and all extents are constants.
std::expected<void, Refusal> place_takes_nests(ir::Program const& program,
                                               ir::LoopSite const& place, std::string const& verb);
/// After a move: loops around that run in parallel still have independent iterations.
std::expected<void, Refusal> annotations_hold(ir::Program const& moved, Target const& target,
                                              ir::LoopId place, std::string const& verb,
                                              ProofBudget budget);
/// The same of every loop around a block that writes one of `tensors`, which have moved out of
/// loops where each iteration had its own.
std::expected<void, Refusal> shared_tensors_hold(ir::Program const& moved, Target const& target,
                                                 std::set<std::string> const& tensors,
                                                 std::string const& verb, ProofBudget budget);
/// Other blocks that write the block's tensor write other elements of it.
bool writes_apart(ir::Program const& program, ir::BlockSite const& block, ProofBudget budget);
/// The tensor is written by this block alone.
std::expected<void, Refusal> only_writer(ir::Program const& program, ir::BlockSite const& block,
                                         std::string const& verb);

/// The argument `layout`, where it is given, is one of a tensor of constant shape.
std::expected<void, Refusal> layout_fits(StepRequest const& request, ir::BufferNode const& buffer,
                                         std::string const& verb);

/// `moved` is the program with the block in another place: what made its inputs before it still
/// stands before it.
std::expected<void, Refusal> inputs_stay_before(ir::Program const& program,
                                                ir::Program const& moved,
                                                ir::BlockSite const& block,
                                                std::string const& verb);

/// The refusal of a step of which the exact question found a fault: in the words of the predicate
/// on the program's shape that sees it, too, if one does, and with the pair that was found.
std::unexpected<Refusal> refuse_flow(DataflowAnswer const& flow,
                                     std::expected<void, Refusal> const& shape,
                                     std::string const& condition);

}  // namespace tw
