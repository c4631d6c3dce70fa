// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the columns of a kernel's row stand: in as many lines as the width asks for.
#pragma once

#include <QRectF>
#include <QString>
#include <vector>

#include "engine/session/kernel_rows.h"

namespace tw {

struct KernelCell {
  session::KernelKey key = session::KernelKey::kTime;
  int line = 0;  ///< below the name
  double left = 0;
  double wide = 0;
  bool of_words = false;  ///< they begin at the left, numbers end at the right
};
struct KernelCells {
  std::vector<KernelCell> cells;
  int lines = 1;
};

/// `room`: from the left of the name to the right end of a row. In the first line there is room for
/// the word above the names.
KernelCells place_cells(std::vector<session::KernelKey> const& columns, double room);

/// What stands in a cell.
QString cell_words(session::KernelTable const& table, session::KernelRow const& row,
                   session::KernelKey key);
/// "231 MFLOP"; what it moves where there are hardly any operations.
QString work_words(session::KernelRow const& row);
QString operations_words(session::KernelRow const& row);
/// A mark stands before what was measured while others used the processors.
QString time_words(session::KernelRow const& row);
/// All that is known of a kernel, for its tooltip.
QString kernel_words(session::KernelTable const& table, session::KernelRow const& row);

}  // namespace tw
