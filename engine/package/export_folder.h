/// The folder of an export, from a draft beside it to its name. Only what an export wrote is ever
/// replaced or removed.
#pragma once

#include <filesystem>

#include "engine/support/base/error.h"

namespace tw {

/// Whether an export may take the folder's place: it is absent, empty, or holds nothing but what
/// its list (tilewright-export.txt) names, as it was written. The program built from example.cpp
/// may have been built again. Errors: folder_in_use, with what is in the way.
Status check_folder(std::filesystem::path const& folder);

/// Written beside the folder and renamed at the end; removed when it goes away before. What killed
/// processes left beside the folder is removed first.
class ExportDraft {
public:
  /// The folders above are made. Errors: file_unwritable.
  static Result<ExportDraft> create(std::filesystem::path const& folder);
  ExportDraft(ExportDraft&& other) noexcept;
  ExportDraft& operator=(ExportDraft&&) = delete;
  ~ExportDraft();

  std::filesystem::path const& folder() const { return folder_; }  ///< absolute, links followed
  std::filesystem::path const& path() const { return path_; }

  /// A person knows nothing of the draft: its files are called as they would have been.
  Error as_named(Error error) const;

  /// Writes the list of what is in it, and takes the folder's place. Errors: those of
  /// `check_folder`, file_unwritable.
  Status publish();

private:
  ExportDraft(std::filesystem::path folder, std::filesystem::path path, int lock);
  std::filesystem::path folder_, path_;
  int lock_;
};

}  // namespace tw
