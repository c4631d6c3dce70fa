// SPDX-License-Identifier: GPL-3.0-or-later
/// Sizes that all of the code view shares, in units.
#pragma once

namespace tw {

constexpr int kCodeLine = 20;
constexpr int kCodeGutter = 56;  ///< the number of the line and the mark of its change
constexpr int kHeatWidth = 76;   ///< a bar and a number beside it

}  // namespace tw
