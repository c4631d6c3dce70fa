/// The file of what clients of a device must know: a line "TOKEN" or "TOKEN NAME" for each, and
/// comments behind '#'. A device reads it again when it changes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

struct TokenEntry {
  std::string token;
  std::string name;  ///< where the line has none, "token-2": the second one
  int line = 0;
};

/// Errors: bad_token (a line that cannot be used), those of read_file.
Result<std::vector<TokenEntry>> read_tokens(std::filesystem::path const& file);

/// A new token, with a line of its own; a file that is missing is made, for this user alone.
/// `name` may be empty. Errors: bad_token (the name cannot be used, or has one), those of
/// `read_tokens` and of writing, no_random.
Result<std::string> add_token(std::filesystem::path const& file, std::string const& name);

/// Takes out what `name` has; other lines stay as they are. Returns how many are left.
/// Errors: unknown_token, those of `read_tokens` and of writing.
Result<int> revoke_token(std::filesystem::path const& file, std::string const& name);

/// That other users of this machine can read the file, in a sentence; empty: they cannot. Who has a
/// token runs any code on the device.
std::string open_to_others(std::filesystem::path const& file);

/// Writes a file that only this user may read; one that is there keeps its mode.
Status write_private_file(std::filesystem::path const& file, std::string const& text);

/// 32 random bytes as hexadecimal digits. Errors: no_random.
Result<std::string> new_token();

}  // namespace tw
