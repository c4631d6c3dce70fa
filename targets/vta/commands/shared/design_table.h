/// An exploration as a table, a chart of letters, a picture and JSON.
#pragma once

#include "targets/vta/commands/shared/group.h"
#include "targets/vta/explore/explore.h"

namespace tw::vta {

/// The designs of the front, and others by their cycles until there are `most`; then those that do
/// not run all layers, with the reason.
std::string design_table(Exploration const& all, int64_t most);
/// Cycles over bytes, both logarithmic: "o" is on the front, "." is not.
std::string letter_chart(Exploration const& all);
/// Empty where no design runs all layers.
std::string picture_of(Exploration const& all, std::string const& what);
Json to_json(Exploration const& all);

}  // namespace tw::vta
