/// Functions of an ONNX file: operators that it defines itself, by nodes of other operators.
#pragma once

#include <onnx.pb.h>

#include "engine/support/base/error.h"

namespace tw::onnx_reader {

/// Puts a function's nodes in the place of each node that calls it, in the model's graph and in the
/// graphs inside: values and nodes get the caller's name before their own, attributes of the
/// function are the caller's, else its defaults. Operator sets that only functions name become the
/// model's. Functions of one name with different bodies (overloads) stay calls, which nothing
/// knows. Errors: functions_too_deep (they call each other in a circle), functions_too_large.
Status expand_functions(onnx::ModelProto& model);

}  // namespace tw::onnx_reader
