/// The tensors of a loaded model, each at a node of its graphs.
#pragma once

#include "engine/session/graph_tensors.h"
#include "engine/session/model/loaded_model.h"

namespace tw::session {

/// `graph`: the model's view.
GraphTensors named_tensors(LoadedModel const& model, GraphView const& graph);

}  // namespace tw::session
