/// Whether a block that is put elsewhere still runs its instances: all of them, no others, and
/// those that go on with a sum once.
#pragma once

#include <string>
#include <vector>

#include "engine/arith/integer_sets.h"
#include "engine/arith/simplify.h"
#include "engine/ir/program.h"

namespace tw {

struct InstanceAnswer {
  std::string code;     ///< of the fault; empty: none was found
  std::string message;  ///< names an instance, or the iterations that repeat one
  std::string unknown;  ///< why there is no answer; empty: there is one
};

/// One block before a step and after it.
InstanceAnswer ask_instances(ir::BlockSite const& was, ir::BlockSite const& is, IntegerSets& sets);

/// Two blocks that add to one tensor: they are parts of one sum, which have no term in common.
InstanceAnswer ask_terms_apart(ir::BlockSite const& a, ir::BlockSite const& b, IntegerSets& sets);

/// Its loops run the block for all values of its iterators in some domains; false = not proved.
bool runs_all_of(ir::BlockSite const& site, std::vector<arith::Interval> const& domains,
                 ProofBudget budget);
/// Of two blocks that write one tensor: wherever the first one makes an element, the second one
/// runs all its instances for it in the same iteration of the outermost `shared` loops, which are
/// around both; false = not proved.
bool runs_with(ir::BlockSite const& first, ir::BlockSite const& second, size_t shared,
               ProofBudget budget);
/// No instance of the block runs in two iterations of its loops; false = not proved.
bool runs_each_once(ir::BlockSite const& site, ProofBudget budget);

}  // namespace tw
