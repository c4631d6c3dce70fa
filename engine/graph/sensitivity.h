/// How far a graph's outputs move when its floats move by what another order of a sum does. Where
/// floats become integers, a last bit decides between two steps, and the layers behind carry that
/// on.
#pragma once

#include "engine/graph/reference.h"

namespace tw {

/// Whether a node makes integers of floats.
bool has_steps(Graph const& graph);

/// Float inputs (where there are none, float constants) are moved by up to a millionth of
/// themselves, each element its own way. The most that an element then differs from `outputs`,
/// which the reference makes of `inputs`, over the largest finite value of its output; 0 where
/// nothing is a float. Errors: those of `reference_run`.
Result<double> sensitivity(Graph const& graph, std::vector<NDArray> const& inputs,
                           std::vector<NDArray> const& outputs,
                           ReferenceOptions const& options = {});

}  // namespace tw
