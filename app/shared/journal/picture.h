/// A picture of a view, as an action.
#pragma once

#include <string>

namespace tw::journal {

/// A view drawn into a file, whole: as SVG, PNG or PDF, by the ending of its name.
struct SavePicture {
  std::string view;  ///< a pane: "roofline"
  std::string file;
  std::string theme;  ///< of the picture; empty: the window's
};

}  // namespace tw::journal
