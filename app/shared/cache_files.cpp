#include "app/shared/cache_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>

#include "engine/compile/code_cache.h"
#include "engine/support/base/quantities.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

/// "NAME" of "PREFIX-NAME.ending": so many hexadecimal digits and nothing else.
bool is_hex_between(std::string_view name, std::string_view prefix, std::string_view ending,
                    size_t digits) {
  if (name.size() != prefix.size() + digits + ending.size()) return false;
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return false;
  name.remove_prefix(prefix.size());
  return std::ranges::all_of(name.substr(0, digits), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

/// A folder's entries, none where it is not there or is a link to elsewhere. What vanishes while
/// one looks is no error.
void each_in(fs::path const& folder, std::function<void(fs::directory_entry const&)> const& visit) {
  std::error_code error;
  if (fs::symlink_status(folder, error).type() != fs::file_type::directory) return;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    visit(*at);
}

bool is_plain_file(fs::directory_entry const& entry) {
  std::error_code error;
  return entry.symlink_status(error).type() == fs::file_type::regular;
}

int64_t size_of(fs::directory_entry const& entry) {
  std::error_code error;
  auto size = entry.file_size(error);
  return error ? 0 : int64_t(size);
}

enum class Kind { kCode, kStory, kMeasured, kModel };

/// One file, or one unpacked model's folder.
using Visit = std::function<void(Kind, fs::directory_entry const&)>;

void each_of_ours(fs::path const& folder, Visit const& visit) {
  auto files = [&](fs::path const& where, Kind kind, char const* prefix, char const* ending,
                   size_t digits) {
    each_in(where, [&, kind, prefix, ending, digits](fs::directory_entry const& entry) {
      std::string name = entry.path().filename().string();
      if (is_hex_between(name, prefix, ending, digits) && is_plain_file(entry)) visit(kind, entry);
    });
  };
  files(folder / "kernels", Kind::kCode, "", ".twk", 16);
  files(folder / "samples", Kind::kStory, "", ".txt", 32);
  files(folder / "arrangements", Kind::kMeasured, "", ".json", 64);
  files(folder, Kind::kMeasured, "roofs-", ".json", 16);
  each_in(folder / "embedded", [&](fs::directory_entry const& entry) {
    std::error_code error;
    bool is_folder = entry.symlink_status(error).type() == fs::file_type::directory;
    if (is_folder && is_hex_between(entry.path().filename().string(), "", "", 16))
      visit(Kind::kModel, entry);
  });
}

struct ModelFolder {
  int64_t bytes = 0, files = 0;
  fs::file_time_type last = fs::file_time_type::min();
};

ModelFolder model_folder(fs::path const& folder) {
  ModelFolder found;
  each_in(folder, [&](fs::directory_entry const& entry) {
    std::error_code error;
    if (entry.symlink_status(error).type() == fs::file_type::directory) {
      ModelFolder inner = model_folder(entry.path());
      found.bytes += inner.bytes;
      found.files += inner.files;
      found.last = std::max(found.last, inner.last);
    } else if (is_plain_file(entry)) {
      found.bytes += size_of(entry);
      ++found.files;
      auto written = entry.last_write_time(error);
      if (!error) found.last = std::max(found.last, written);
    }
  });
  return found;
}

void remove_model(fs::path const& folder, Freed& freed) {
  ModelFolder model = model_folder(folder);
  if (fs::file_time_type::clock::now() - model.last < std::chrono::hours(24)) return;
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) {
    ++freed.refused;
    return;
  }
  freed.bytes += model.bytes;
  freed.files += model.files;
}

void remove_file(fs::directory_entry const& entry, Freed& freed) {
  int64_t bytes = size_of(entry);
  std::error_code error;
  bool removed = fs::remove(entry.path(), error);
  freed.bytes += removed ? bytes : 0;
  freed.files += removed;
  freed.refused += error ? 1 : 0;  // gone meanwhile is no error
}

fs::path code_folder(fs::path const& folder) { return folder / "kernels"; }

}  // namespace

CacheContent content_of_cache(fs::path const& folder) {
  CacheContent content;
  each_of_ours(folder, [&](Kind kind, fs::directory_entry const& entry) {
    if (kind == Kind::kModel) {
      content.model_bytes += model_folder(entry.path()).bytes;
      return;
    }
    (kind == Kind::kCode ? content.code_bytes : content.other_bytes) += size_of(entry);
    content.entries += kind == Kind::kCode;
  });
  return content;
}

std::string to_words(CacheContent const& content) {
  if (content.bytes() == 0) return "nothing";
  std::string text = bytes_text(double(content.bytes()));
  if (content.entries > 0)
    text += fmt::format(": code of {} {}", count_text(content.entries, "kernel"),
                        bytes_text(double(content.code_bytes)));
  if (content.model_bytes > 0)
    text += fmt::format("{} unpacked models {}", content.entries > 0 ? "," : ":",
                        bytes_text(double(content.model_bytes)));
  return text;
}

Freed empty_cache(fs::path const& folder) {
  Freed freed;
  each_of_ours(folder, [&](Kind kind, fs::directory_entry const& entry) {
    if (kind == Kind::kModel) remove_model(entry.path(), freed);
    if (kind == Kind::kCode || kind == Kind::kStory) remove_file(entry, freed);
  });
  return freed;
}

std::string to_words(Freed const& freed) {
  std::string text = freed.files == 0 && freed.refused == 0
                         ? "there was nothing to remove"
                         : fmt::format("freed {}", bytes_text(double(freed.bytes)));
  if (freed.refused > 0)
    text += fmt::format("; {} could not be removed", count_text(freed.refused, "file"));
  return text;
}

int64_t cache_limit(fs::path const& folder) { return limit_of_code(code_folder(folder)); }

Status limit_cache(fs::path const& folder, int64_t bytes) {
  if (bytes < kLeastCacheLimit || bytes > kMostCacheLimit)
    return bad_input(
        "unusable_limit",
        fmt::format("the cache's limit is {} to {}, not {}", bytes_text(double(kLeastCacheLimit)),
                    bytes_text(double(kMostCacheLimit)), bytes_text(double(bytes))));
  TRY(keep_limit_of_code(code_folder(folder), bytes));
  CodeCache({.folder = code_folder(folder)}).trim();
  return {};
}

}  // namespace tw
