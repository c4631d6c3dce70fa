/// Kernels kept on disk between runs, found by everything that decides what code they are.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "engine/compile/kernel_code.h"
#include "engine/lowering/pipeline.h"

namespace tw {

/// The text of a key: program, script (null: the backend's rule), target, tier, versions, and the
/// passes that `options` leave out.
std::string code_key(ir::Program const& program, std::string const* script, Backend const& backend,
                     CodeTier tier, LowerOptions const& options = environment_lower_options());

/// A folder of entries, one file each. Several threads and several processes may use it at once.
/// It never fails: a folder that cannot be written keeps nothing.
class CodeCache {
public:
  struct Options {
    std::filesystem::path folder;  ///< made when the first entry is kept
    /// Of all entries; the least recently used ones go. Empty: what was chosen for the folder.
    std::optional<int64_t> most_bytes = {};
  };
  /// What happened since it was made.
  struct Counts {
    int found = 0;
    int kept = 0;
    int broken = 0;  ///< entries that were damaged or another key's: removed
  };

  explicit CodeCache(Options options) : options_(std::move(options)) {}

  /// Empty where there is none, and where it is damaged or was written for another key.
  std::optional<KernelCode> find(std::string const& key);
  /// Kernels of the checked tier are not kept.
  void keep(std::string const& key, KernelCode const& code);
  /// Removes the least recently used entries until `most_bytes` hold.
  void trim();
  Counts counts() const { return {found_, kept_, broken_}; }

  std::filesystem::path file_of(std::string const& key) const;

private:
  Options options_;
  std::atomic<int> found_ = 0, kept_ = 0, broken_ = 0;
};

/// The most bytes that the entries of a folder may take: what somebody chose for it, which stands
/// in it so that every process knows, else 256 MB.
int64_t limit_of_code(std::filesystem::path const& folder);
/// Errors: file_unwritable.
Status keep_limit_of_code(std::filesystem::path const& folder, int64_t bytes);

/// An entry's bytes and back; objects only, no texts. Errors: broken_entry, other_key.
std::string to_entry(std::string const& key, KernelCode const& code);
Result<KernelCode> parse_entry(std::string_view bytes, std::string const& key);

}  // namespace tw
