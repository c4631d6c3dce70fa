/// Whole files, with errors that name them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

/// Errors: file_unreadable, file_too_large (over `most` bytes).
Result<std::string> read_file(std::filesystem::path const& path, int64_t most = int64_t(1) << 32);

/// Writes beside the target and renames, so that a full disk leaves the old file as it was.
/// Errors: file_unwritable (with the system's reason).
Status write_file(std::filesystem::path const& path, std::string_view content);

}  // namespace tw
