/// Assembly as `tw lower` prints it.
#pragma once

#include <string>
#include <vector>

#include "app/cli/chosen_kernel.h"
#include "engine/session/code_report.h"

namespace tw::cli {

struct AssemblyArguments {
  std::string syntax;             ///< "att", "intel"; empty: the assembler's
  std::vector<std::string> hide;  ///< "directives", "labels"
  bool model = false;             ///< what the hot loop costs, too
  bool asked() const { return model || !syntax.empty() || !hide.empty(); }
};

/// Prints a kernel's assembly; 0, or what the program ends with.
int print_assembly(Context const& context, ChosenKernel const& chosen,
                   AssemblyArguments const& arguments, LowerOptions const& options);

}  // namespace tw::cli
