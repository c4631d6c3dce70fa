/// Sums that take a term twice: what no comparison of accesses sees.
#pragma once

#include "engine/ir/program.h"
#include "engine/support/base/job.h"
#include "engine/tensor/ndarray.h"

namespace tw::ir {

/// How often the innermost blocks of the program run.
double block_runs(Program const& program);

/// Runs a program of loops, allocations and blocks of one store with its values, and remembers
/// which terms each element of a sum or product has since it was set. Errors: term_twice, with the
/// block, the element and the term; call_not_counted, of a block that is a call; those of running
/// (index_out_of_range, division_by_zero); cancelled.
Status verify_terms(Program const& program, std::vector<NDArray> const& inputs,
                    StopToken stop = {});

}  // namespace tw::ir
