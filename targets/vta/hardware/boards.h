/// The boards that are known: their files are `resources/vta/*.vta`, built into the program.
#pragma once

#include <span>
#include <vector>

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// The first one is what "vta" alone means: pynq. The rest is sorted by name.
std::vector<Configuration> const& boards();
/// Null: there is none of this name.
Configuration const* find_board(std::string_view name);

}  // namespace tw::vta
