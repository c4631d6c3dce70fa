/// "--board": which accelerator something is for.
#pragma once

#include "targets/vta/commands/shared/group.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

inline constexpr char kBoardOption[] = "--board";

CommandParameter board_parameter(std::string doc);
/// A board's name, or a file of a configuration; `word` empty: the first board. Errors:
/// unknown_board; those of the file; unknown_processor.
Result<Configuration> board_of(std::string const& word);
/// Errors: unknown_processor, at the file, which lists those that code can be made for.
Status check_processor(Configuration const& configuration, std::string const& file);

/// What follows from a configuration, for people and as JSON.
std::string derived_text(Configuration const& configuration);
Json derived_json(Configuration const& configuration);

}  // namespace tw::vta
