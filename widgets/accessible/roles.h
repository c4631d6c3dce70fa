// SPDX-License-Identifier: GPL-3.0-or-later
/// What a painted widget without parts is to assistive technology: a property that is set to true
/// before anybody asks.
#pragma once

namespace tw {

inline constexpr char const* kPaintedButton = "paintedButton";  ///< the space bar presses it
inline constexpr char const* kPaintedText = "paintedText";      ///< one reads in it

}  // namespace tw
