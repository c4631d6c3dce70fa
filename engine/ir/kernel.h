/// Kernel IR as a value: its text, both ways, when two are equal, and what every one must meet.
#pragma once

#include <string>
#include <string_view>

#include "engine/ir/text.h"

namespace tw::ir {

/// Names, buffers, sizes and bodies agree; ids and origins are ignored.
bool equal(KernelIr const& a, KernelIr const& b);

/// Reads "tilewright kernel 1 ...", what `print(kernel)` writes at any stage of lowering; errors
/// carry line and column. The result is verified. Its ids are new, and it has no origins.
Result<KernelIr> parse_kernel(std::string_view text, std::string_view file = "");

/// Every condition that a kernel must meet at any stage; the first one broken is the error
/// (`invalid_kernel`, with its statement): names bound once per scope and used with their type,
/// buffers used as they are declared, one index per dimension, operands of one type and as many
/// lanes.
Status verify(KernelIr const& kernel);

/// A statement's first line as it is printed, for messages: "for i in 4".
std::string first_line(Stmt const& s);

}  // namespace tw::ir
