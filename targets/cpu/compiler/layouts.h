/// Which layouts a graph runs with on a CPU.
#pragma once

#include "engine/graph/choices.h"
#include "engine/schedule/decisions.h"

namespace tw {

/// Weights that are known lie in blocks of output channels, matrices so that a vector of outputs
/// lies side by side. Images around depthwise convolutions lie in blocks of channels, where no
/// tensor has to be changed for it in a run.
///
/// Knobs: "channel_block", the channels that lie side by side, or "plain" where only weights do;
/// and "NODE.algorithm" for all convolutions like that node.
GraphChoices choose_cpu_layouts(Graph const& graph, Decisions& decisions);

}  // namespace tw
