/// The scratchpad machine's own pass over graphs.
#pragma once

#include "engine/graph/pipeline.h"

namespace tw::scratchpad {

GraphPass split_biases();

}  // namespace tw::scratchpad
