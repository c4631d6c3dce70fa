/// A cut model as values for a front.
#pragma once

#include "engine/compile/cut.h"
#include "engine/session/values.h"

namespace tw::session {

/// Where the groups of `groups` run and what goes over. Errors: those of `cut_plan`.
Result<CutView> cut_view(Graph const& graph, Plan const& plan, Cut const& cut,
                         std::vector<GraphGroupView> const& groups);

}  // namespace tw::session
