/// A quantized graph as a model of its format again: ONNX files keep what is computed in bytes
/// between QuantizeLinear and DequantizeLinear, which other runtimes know, too.
#pragma once

#include "engine/graph/graph.h"
#include "engine/imported/imported_model.h"

namespace tw {

/// `model` with the quantized nodes of `graph`, which `quantize` made of the model's own graph; all
/// other nodes are the model's, as they were; inputs have the extents that the graph knows. Errors:
/// unwritable_format (another than ONNX), old_opset (before 9, or with an operator that opset 10,
/// the first with QuantizeLinear, has in another way), unwritable_node (a quantized node that is
/// not one of the model's, but of a function's body).
Result<ImportedModel> quantized_model(ImportedModel const& model, Graph const& graph);

}  // namespace tw
