/// How a report looks: the window's colours, by what the reader's system prefers.
#pragma once

#include <string>
#include <vector>

namespace tw::report {

/// A theme of the window.
struct ThemeSource {
  std::string file, text;
};
/// Written by the build from the files of resources/themes.
std::vector<ThemeSource> theme_sources();

/// A style sheet that names nothing outside of itself.
std::string style_sheet();

}  // namespace tw::report
