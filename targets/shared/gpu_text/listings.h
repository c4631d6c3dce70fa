/// What a person reads of a kernel's code.
#pragma once

#include <map>
#include <string>

#include "engine/backend/backend.h"

namespace tw::gpu_text {

/// Helpers first, each once, then the functions.
std::string source_file(std::map<std::string, std::string> const& helpers,
                        std::string const& functions);
/// The host's function as it was lowered.
CodeListing launches_listing(std::string const& key, ir::KernelIr const& kernel,
                             ir::PrintedProgram const& lowered);

}  // namespace tw::gpu_text
