/// What the points of a space took, measured once: on it searches are compared as often as one
/// likes, without a device and without noise.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tuner/space.h"

namespace tw {

struct TableRow {
  Point point;
  std::optional<double> seconds;  ///< nothing: it was not right, or did not run
  bool operator==(TableRow const&) const = default;
};

struct StudyTable {
  std::string kernel;   ///< its name
  std::string program;  ///< without a schedule, as text
  Hardware hardware;    ///< that it was measured on
  Roofs roofs;          ///< of that; empty: not known
  Point pinned;
  int threads = 0;     ///< that its points ran with; 0: not said
  bool whole = false;  ///< all points that are worth compiling; else some by chance
  std::vector<TableRow> rows;
  bool operator==(StudyTable const&) const = default;
};

/// A line of JSON for the kernel and one for each point.
std::string to_text(StudyTable const& table);
/// Errors: bad_table, with the line; unknown_version.
Result<StudyTable> parse_table(std::string_view text);

/// The space that it is of. Errors: those of the program's text.
Result<Space> space_of(StudyTable const& table, std::shared_ptr<Backend const> backend);

struct SpacePoints {
  std::vector<Point> points;  ///< worth compiling, each schedule once; the first is the rule
  bool whole = true;          ///< all of them
};
/// All points where there are no more than `most`, and the template has no more than `most_visited`
/// to say; else `most` of them by chance. Errors: those of the space.
Result<SpacePoints> points_of(Space const& space, size_t most, uint64_t seed,
                              size_t most_visited = 300'000);

}  // namespace tw
