/// Options of a model's graph (layouts, algorithms) by their names.
#pragma once

#include <string>
#include <utility>

#include "engine/schedule/decisions.h"

namespace tw::session {

/// The option as it is called today: projects, journals and command lines of before say "blocks=8"
/// for "channel_block=8", "conv1.algorithm=product" for "conv1.algorithm=im2col", and of a fusion
/// "together" and "apart" for "fused" and "separate".
std::pair<std::string, std::string> graph_option_called(std::string const& name,
                                                        std::string const& value);
Point graph_options_called(Point const& options);

}  // namespace tw::session
