/// The texts of the boards' files, which the build puts into the program.
#pragma once

#include <string>
#include <vector>

namespace tw {

struct BoardSource {
  std::string file;  ///< "resources/vta/pynq.vta"
  std::string text;
};
/// Sorted by name. Written by the build.
std::vector<BoardSource> board_sources();

}  // namespace tw
