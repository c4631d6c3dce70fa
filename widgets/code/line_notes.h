// SPDX-License-Identifier: GPL-3.0-or-later
/// What stands beside the lines of a text.
#pragma once

#include <vector>

namespace tw {

struct LineNote {
  int number = 0;      ///< of the line in the whole text; 0: it is another text's; -1: as it stands
  double cycles = -1;  ///< modelled, of an iteration; negative: it is not modelled
  double heat = 0;     ///< 0 to 1
  double share = -1;   ///< of the kernel's modelled time, 0 to 1; negative: it has none
  bool hot = false;    ///< in the loop that runs most
};
using LineNotes = std::vector<LineNote>;  ///< one for each line that is shown

}  // namespace tw
