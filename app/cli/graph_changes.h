/// What is different between two models' graphs, as `tw diff` prints it.
#pragma once

#include "app/cli/output.h"
#include "engine/session/graph_difference.h"

namespace tw::cli {

/// Of two models, or of the first one before and after its passes (`after` empty).
int print_graph_difference(Context const& context, std::string const& before,
                           std::string const& after);

}  // namespace tw::cli
