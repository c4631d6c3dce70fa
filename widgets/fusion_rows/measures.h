// SPDX-License-Identifier: GPL-3.0-or-later
/// Lengths that the rows' layout and their painting share, in units.
#pragma once

namespace tw::fusion_rows {

inline constexpr double kEdge = 16;                    ///< around all of it
inline constexpr double kHead = 40;                    ///< the words above the rows
inline constexpr double kFoot = 34;                    ///< the words below them
inline constexpr double kPadding = 11;                 ///< of a row, above and below
inline constexpr double kOperator = 22, kKernel = 26;  ///< how high a box is
inline constexpr double kMiddle = 190;                 ///< the width of titles and bytes
inline constexpr double kLeastRow = 52;                ///< three lines in the middle
inline constexpr double kColumnGap = 14;

}  // namespace tw::fusion_rows
