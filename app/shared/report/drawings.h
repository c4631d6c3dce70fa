/// The drawings of a report.
#pragma once

#include <string>
#include <vector>

#include "engine/session/values.h"

namespace tw::report {

/// A point below roofs, and what is written at it.
struct PlacedPoint {
  session::RooflinePoint point;
  std::string label;  ///< empty: its title alone says what it is
  std::string title;
};
/// Roofs of what is not there are not drawn; of the current point its memory levels, too.
std::string roofline_drawing(session::RooflineView const& view,
                             std::vector<PlacedPoint> const& points, std::string const& unit);

/// The loop nest: a bar for each loop, with what it touches.
std::string loop_nest_drawing(session::NestView const& nest, std::vector<int64_t> const& caches);

/// The steps as a map: a column for each step from the plain nest on, a row for each branch.
std::string history_drawing(session::HistoryView const& history);
/// The steps that lead to the current one, by their numbers.
std::vector<int> path_of(session::HistoryView const& history);

}  // namespace tw::report
