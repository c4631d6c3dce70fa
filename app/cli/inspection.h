/// What one operator, kernel or tensor is, printed.
#pragma once

#include <string>

#include "app/cli/output.h"

namespace tw::cli {

/// Which of them `tw inspect` is asked for; at most one is named.
struct InspectionArguments {
  std::string node, kernel, tensor;
  bool imported = false;  ///< the node as the model's file has it
  bool is_asked() const { return !node.empty() || !kernel.empty() || !tensor.empty(); }
};

/// Returns the exit code.
int print_inspection(Context const& context, session::LoadedModel const& model,
                     InspectionArguments const& arguments);

}  // namespace tw::cli
