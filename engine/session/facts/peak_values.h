/// The peak of arithmetic that a speed is a part of.
#pragma once

#include <string>

#include "engine/session/values.h"

namespace tw::session {

/// Of the cores that the schedule uses: one, unless a loop is parallel. Null: it is not known.
RoofView const* peak(Snapshot const& now);
/// In the words of the bar at the top, whose percentage is of all cores: "181 GFLOP/s of 1 core".
std::string peak_words(Snapshot const& now);

}  // namespace tw::session
