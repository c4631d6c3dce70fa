// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/wrapping.h"

#include <algorithm>

namespace tw {

std::vector<int> row_starts(QStringView line, int columns) {
  std::vector<int> starts{0};
  int length = int(line.size());
  columns = std::max(columns, kWrapIndent + 8);
  while (true) {
    int begin = starts.back(), room = columns - (starts.size() > 1 ? kWrapIndent : 0);
    if (length - begin <= room) return starts;
    int end = begin + room;
    int at = end;
    while (at > begin + room / 2 && line[at - 1] != ' ' && line[at - 1] != ',') --at;
    starts.push_back(at > begin + room / 2 ? at : end);
  }
}

}  // namespace tw
