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

/// The same of text that people write: without the byte-order mark that some editors put first.
Result<std::string> read_text(std::filesystem::path const& path, int64_t most = int64_t(1) << 32);

enum class Durability : uint8_t {
  kSynced,  ///< on the disk when it returns
  kFast,    ///< a power cut may lose it
};

/// Writes elsewhere and renames, so that a full disk leaves the old file as it was, and a killed
/// process nothing. A symbolic link stays one: its target is replaced. The file's mode stays, and
/// its owner where this process may give it; a file that nobody may write is not replaced.
/// Errors: file_unwritable (with the system's reason).
Status write_file(std::filesystem::path const& path, std::string_view content,
                  Durability durability = Durability::kSynced);

/// The folder and those above it, where they are missing. Errors: file_unwritable.
Status make_folder(std::filesystem::path const& folder);

/// `write_file` of what a person named: the folder that it lies in is made where it is missing.
Status write_output(std::filesystem::path const& path, std::string_view content);

/// Removes what killed processes left in `folder` of files that they were writing: all, or those
/// of the file `name`. What a living process writes stays.
void sweep_drafts(std::filesystem::path const& folder, std::string const& name = "");

}  // namespace tw
