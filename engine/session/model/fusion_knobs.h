/// Choices about fusion, as an arrangement has them beside layouts and algorithms:
/// "conv1>relu1.fusion=separate".
#pragma once

#include "engine/graph/pipeline.h"
#include "engine/schedule/decisions.h"

namespace tw::session {

bool is_fusion_knob(std::string const& name);
/// "conv1>relu1.fusion", by the edge's name in `EdgeDecision`.
std::string fusion_knob(std::string const& edge);
std::string fusion_value(bool fused);

/// Errors: unknown_arrangement, for what is neither "fused" nor "separate".
Result<FusionChoices> fusion_choices(Point const& arrangement);
/// The choices that the graph has edges for, also where they are what the rule says.
std::vector<Knob> fusion_knobs(Graph const& graph, FusionChoices const& choices);
/// The first edge of the graph, or of one inside it, with this name; null: there is none.
EdgeDecision const* find_edge(Graph const& graph, std::string const& edge);

/// Errors: unknown_arrangement (no such edge), cannot_fuse.
Status check_fusion(Graph const& graph, std::string const& knob, std::string const& value);

}  // namespace tw::session
