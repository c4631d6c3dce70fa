/// Reading attributes of ONNX nodes.
#pragma once

#include "engine/graph/operator.h"

namespace tw::ops {

/// The attribute, or `otherwise` when it is absent or of another kind.
int64_t onnx_integer(ForeignNode const& node, std::string_view name, int64_t otherwise);
double onnx_number(ForeignNode const& node, std::string_view name, double otherwise);
std::string onnx_text(ForeignNode const& node, std::string_view name, std::string otherwise);
std::vector<int64_t> onnx_integers(ForeignNode const& node, std::string_view name,
                                   std::vector<int64_t> otherwise = {});
bool onnx_has(ForeignNode const& node, std::string_view name);

/// Keeps the first `count` inputs as they are.
Converted keep_inputs(ForeignContext const& context, size_t count, Attributes attributes = {});
/// Integers of a constant operand of rank at most 1; error `unsupported` when it is not constant.
Result<std::vector<int64_t>> constant_integers(ForeignContext const& context, size_t input,
                                               char const* what);
/// The same for floats.
Result<std::vector<double>> constant_numbers(ForeignContext const& context, size_t input,
                                             char const* what);
bool input_given(ForeignContext const& context, size_t input);
/// The element type by ONNX's number for it; empty: one that we have no name for.
std::optional<DType> onnx_dtype(int64_t number);
/// Before opset 7 operands were broadcast on demand: what numpy's rule cannot say is refused.
Status check_old_broadcast(ForeignContext const& context);

}  // namespace tw::ops
