/// What an export wrote into its folder, as the folder itself says.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "engine/support/base/error.h"

namespace tw {

inline constexpr char kExportList[] = "tilewright-export.txt";

/// Files by their path in the folder -> size and checksum, or where a link leads.
using ExportList = std::map<std::string, std::string>;

/// Every file in the folder but the list itself, as it is now. Errors: those of reading.
Result<ExportList> list_of(std::filesystem::path const& folder);

/// What lies in the folder and was not written by the export that wrote `list`, as the end of a
/// sentence; empty: nothing does.
std::string stranger_in(std::filesystem::path const& folder, ExportList const& list);

std::string to_text(ExportList const& list);
/// No value where the folder has none, or it is not one. That of a draft is empty.
std::optional<ExportList> read_list(std::filesystem::path const& folder);

/// Removes what is named and the folders that are empty then; what else there is stays.
void remove_listed(std::filesystem::path const& folder, ExportList const& list);

}  // namespace tw
