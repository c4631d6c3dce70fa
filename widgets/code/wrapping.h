// SPDX-License-Identifier: GPL-3.0-or-later
/// Long lines in the width of a view.
#pragma once

#include <QString>
#include <vector>

namespace tw {

constexpr int kWrapIndent = 4;  ///< letters, of the rows after the first

/// Where the rows of a line begin, the first at 0: behind a blank or a comma where there is one, so
/// that each has at most `columns` letters with its indent.
std::vector<int> row_starts(QStringView line, int columns);

}  // namespace tw
