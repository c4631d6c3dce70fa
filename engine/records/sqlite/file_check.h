/// A look at a file before SQLite has it: that takes very short files for empty ones, and its words
/// for what may not be opened name the wrong reason.
#pragma once

#include <filesystem>

#include "engine/support/base/error.h"

namespace tw::records {

/// Errors: store_unwritable (the file, or the folder, which holds the log beside it),
/// store_corrupt (it does not begin as a database does).
Status may_be_a_store(std::filesystem::path const& path);

}  // namespace tw::records
