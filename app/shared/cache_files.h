/// What is kept on this disk to be faster the next time: how much it is, and how to be rid of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/support/base/error.h"

namespace tw {

/// Files of this program's own, by their names; what else lies in the folder is nobody's business.
struct CacheContent {
  int64_t code_bytes = 0, entries = 0;  ///< kernels' code
  int64_t model_bytes = 0;              ///< models unpacked from projects
  int64_t other_bytes = 0;              ///< what was measured, what the start page tells
  int64_t bytes() const { return code_bytes + model_bytes + other_bytes; }
};
CacheContent content_of_cache(std::filesystem::path const& folder);
/// "312 MB: code of 1204 kernels 305 MB, unpacked models 7.0 MB"
std::string to_words(CacheContent const& content);

struct Freed {
  int64_t bytes = 0, files = 0;
  int64_t refused = 0;  ///< files that this user may not remove
};
/// Removes what can be made again: code, the start page's numbers, and models unpacked more than a
/// day ago (a process that runs may still read them). What was measured stays: roofs, and which
/// layouts were fastest. Other processes may use the folder meanwhile: they make anew what they
/// miss.
Freed empty_cache(std::filesystem::path const& folder);
/// "freed 312 MB"
std::string to_words(Freed const& freed);

/// Of kernels' code; what is over it goes at once, the least recently used first, and from then on
/// whenever a process keeps something.
constexpr int64_t kLeastCacheLimit = int64_t(16) << 20, kMostCacheLimit = int64_t(1) << 40;
int64_t cache_limit(std::filesystem::path const& folder);
/// Errors: unusable_limit, file_unwritable.
Status limit_cache(std::filesystem::path const& folder, int64_t bytes);

}  // namespace tw
