/// Reads a compiler's assembly text: keeps what a person reads, and where each instruction is from.
#pragma once

#include <string_view>

#include "targets/shared/llvm/machine.h"

namespace tw {

/// Fills `emitted.assembly`, `source_line` and the two counts from text with .loc directives.
/// An instruction without a location (a spill, a copy at a block's start) takes that of the next
/// one in its block, else of the previous one of its function, else of the next.
void read_assembly(std::string_view text, Emitted& emitted);

}  // namespace tw
