/// Names of files that somebody else wrote down.
#pragma once

#include <filesystem>

namespace tw {

/// Whether the name stays in the folder that it is put below: it is relative and climbs nowhere.
bool stays_below(std::filesystem::path const& name);

}  // namespace tw
