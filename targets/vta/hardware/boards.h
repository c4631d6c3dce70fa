/// The boards that are known: their files are `resources/vta/*.vta`, built into the program.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// The first one is what "vta" alone means: pynq. The rest is sorted by name.
std::vector<Configuration> const& boards();
/// Null: there is none of this name.
Configuration const* find_board(std::string_view name);

/// How files with a configuration end.
inline constexpr char kConfigurationEnding[] = ".vta";
/// A board's name, or a file with a configuration, "designs/my.vta". Errors: unknown_board, those
/// of reading a file and of `parse_configuration`.
Result<Configuration> board_or_file(std::string_view word);

}  // namespace tw::vta
