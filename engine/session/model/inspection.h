/// What a model says of one operator, kernel or tensor of it.
#pragma once

#include "engine/session/inspector.h"
#include "engine/session/model/loaded_model.h"

namespace tw::session {

/// Errors: unknown_node, unknown_kernel, unknown_tensor.
Status check_inspected(LoadedModel const& model, Inspected const& what);
/// Errors: the same.
Result<InspectorView> inspector_view(LoadedModel const& model, Inspected const& what);
/// Of a tensor that is known before the model runs, in the order of its shape, whatever its layout.
/// Errors: unknown_tensor, not_constant.
Result<ValueStatistics> tensor_statistics(LoadedModel const& model, std::string const& tensor,
                                          StopToken stop = {});

}  // namespace tw::session
