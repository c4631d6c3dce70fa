/// The tile registers of x86-64 (AMX), which a process must ask Linux for.
#pragma once

#include <string>

namespace tw {

/// Whether this process may use tiles. It asks for them: threads that begin later have them, too.
/// (Linux: Documentation/arch/x86/xstate.rst, "Using dynamically enabled XSTATE features".)
bool may_use_tiles();

/// A list of features with those of tiles as ones that the processor does not have.
std::string without_tiles(std::string features);

}  // namespace tw
