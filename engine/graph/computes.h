/// The ways to compute an operator, however its row gives them.
#pragma once

#include "engine/graph/operator.h"

namespace tw {

/// Whether it has a tensor expression at all; without one only the reference runs it.
bool has_compute(Operator const& op);
/// "direct", "im2col": the first is taken where nobody chooses.
std::vector<std::string> compute_names(Operator const& op);

/// Whether the operator can be computed so. Errors: unknown_algorithm, layout_not_taken (with the
/// reason).
Status takes(Operator const& op, Attributes const& attributes, Arrangement const& arrangement);

/// The tensor expression over buffers of the stored shapes. Errors: those of `takes` and of the
/// compute.
Result<Tensors> compute_tensors(Operator const& op, Attributes const& attributes,
                                Arrangement const& arrangement, std::span<te::Buffer const> inputs,
                                std::string const& name);

/// Of an operator over plain tensors with these extents.
Arrangement plain_arrangement(std::span<te::Buffer const> inputs);

/// The refusal of a compute.
std::unexpected<Error> not_taken(std::string message);
/// Refuses every layout but the plain one.
Status takes_plain(Attributes const& attributes, Arrangement const& arrangement);

}  // namespace tw
