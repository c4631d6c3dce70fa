// SPDX-License-Identifier: GPL-3.0-or-later
/// Sizes of the history's map, in logical pixels.
#pragma once

namespace tw::history_metrics {

constexpr double kPitch = 112;  ///< between stations
constexpr double kLane = 112;   ///< between tracks
constexpr double kLeft = 62, kTop = 40;
constexpr double kAbove = 36, kBelow = 76;  ///< a station's words around its centre

}  // namespace tw::history_metrics
