/// Whether iterations of a loop may overlap.
#pragma once

#include <expected>
#include <string>

#include "engine/schedule/rewriting/pipelining.h"

namespace tw {

/// Legal when, with every tensor as large as it would have to be for all iterations, each read
/// comes after the writes that it needs, and tensors of the loop have as many instances as are in
/// use at the same time. Codes: stages_do_not_fit, one_statement, same_elements, uneven_elements,
/// parts_overlap, and those of `check_dataflow`.
std::expected<Proof, Refusal> can_pipeline(StepRequest const& request, Pipelining const& pipelining,
                                           std::string const& verb);

}  // namespace tw
