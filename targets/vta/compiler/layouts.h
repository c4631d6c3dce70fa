/// Which values of a graph lie in the accelerator's elements.
#pragma once

#include "engine/graph/choices.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// Integer convolutions read data in blocks of images and channels, weights in blocks of channels
/// on both sides, and what is computed of their sums stays as it lies; matrix products the same
/// with rows and columns. Last blocks that are not full are padded. Everything else is plain.
Result<GraphChoices> choose_vta_layouts(Graph const& graph, Configuration const& configuration);

}  // namespace tw::vta
