/// Operators that are defined by others, as ONNX's own function bodies are: one file of
/// `graph/functions` defines one; CMake makes the table. A node of theirs becomes the nodes of its
/// body, which fuse as any others. Bodies here are chosen by what is known of the operands (ranks,
/// types, constants), so they are put in place while the graph is built; functions that a file
/// defines itself are nodes of the file, with graphs inside, and are put in place before that.
#pragma once

#include <set>

#include "engine/graph/operator.h"

namespace tw {

struct FunctionOperator {
  std::string onnx;
  std::string doc;
  std::vector<OnnxAttribute> onnx_attributes;
  std::vector<std::string> inputs, outputs;  ///< names in the body
  /// One node a line, in opset `kFunctionOpset`: "y, z = Op<axis=1, to=[1, 2], mode='x'>(a, , b)".
  /// An empty body leaves the node to the operator of that name. Errors: unsupported.
  Result<std::string> (*body)(ForeignContext const&) = nullptr;
};

inline constexpr int64_t kFunctionOpset = 18;

std::span<FunctionOperator const* const> function_table();
/// Null when there is none.
FunctionOperator const* find_onnx_function(std::string_view op_type);

/// The nodes that stand for one; without any it is the operator's of that name. What they make on
/// the way is named after the node, as no value that `taken` holds. Errors: unsupported.
Result<std::vector<ForeignNode>> instantiate(FunctionOperator const& function,
                                             ForeignContext const& context, std::string const& name,
                                             std::set<std::string>& taken);

}  // namespace tw
