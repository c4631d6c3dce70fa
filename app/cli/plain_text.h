/// Text that others wrote (records, devices, models), on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tw::cli {

/// In one line, without what steers a terminal.
std::string plain(std::string_view text);
/// Line by line: a script, a program.
std::string plain_lines(std::string_view text);

}  // namespace tw::cli
