/// A look at a file before SQLite has it, whose words for what may not be opened name the wrong
/// reason, and which takes a file of one byte for an empty one. The file is not opened: closing it
/// would take away the locks of other connections that this process has to it.
#pragma once

#include <filesystem>

#include "engine/support/base/error.h"

namespace tw::records {

/// Errors: store_unwritable (the file, or the folder, which holds the log beside it),
/// store_corrupt (it is too short for a database).
Status may_be_a_store(std::filesystem::path const& path);

}  // namespace tw::records
