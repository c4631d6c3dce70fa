/// A lowered kernel as functions of C.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/text.h"
#include "engine/support/base/error.h"

namespace tw::c_source {

struct CText {
  std::string symbol;  ///< of the function that has the shape of TwKernel (engine/runtime/abi.h)
  std::string text;    ///< without the helpers
  std::vector<int32_t> source_line;            ///< per line of `text`: line of `lowered`, or 0
  std::map<std::string, std::string> helpers;  ///< definitions of what it calls, by name
};

/// The types that the texts name; the first lines of a file of them.
extern char const kPrelude[];

/// Needs flat buffers in the workspace or on the stack, and scalar code. Parallel loops become
/// functions of their own; a vector loop is a plain one, which a C compiler makes vectors of.
/// Errors: unsupported_statement, unsupported_expression.
Result<CText> print_c(ir::KernelIr const& kernel, ir::PrintedProgram const& lowered);

}  // namespace tw::c_source
