/// The fused graph as an SVG picture: one card per kernel, with its operators, and edges with
/// shapes.
#pragma once

#include <string>

#include "engine/session/values.h"

namespace tw::session {

struct PictureOptions {
  bool before = false;   ///< the graph as imported instead of the fused one
  bool of_page = false;  ///< stands in a page, whose style knows its classes ("graph" around them)
};

std::string graph_svg(GraphView const& graph, KernelTable const& kernels,
                      PictureOptions const& options = {});

}  // namespace tw::session
