/// What an accelerator takes over from the device beside it, as commands print it.
#pragma once

#include "app/cli/output.h"
#include "engine/compile/offload.h"

namespace tw::cli {

/// A line for each kernel: where it runs, and why it stays at home.
void print_offloaded(Offload const& found, std::string const& home, std::string const& there);
/// {"home", "there", "kernels": [{"name", "device", "reason"}]}; a reason only where it stays.
Json offload_json(Offload const& found, std::string const& home, std::string const& there);

}  // namespace tw::cli
