/// All codes of errors: what each means, and what can be done about it. A row is a line of a file
/// in `resources/errors`; who says a code writes it as a literal, and tests hold both together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

struct ErrorText {
  std::string file;
  std::string text;
};

/// Written by CMake from the files in `resources/errors/`.
std::vector<ErrorText> error_texts();

struct ErrorRow {
  std::string code;        ///< "too_many_lanes"
  std::vector<int> exits;  ///< of `tw`; several: it depends on who says it; none: no command fails
  std::string meaning;     ///< one sentence
  std::string remedy;      ///< one sentence: what the user can do
  auto operator<=>(ErrorRow const&) const = default;
};

/// The codes that some folders say; one that others say, too, is a row of one area only.
struct ErrorArea {
  std::string title;                 ///< "Schedule steps, scripts and macros"
  std::vector<std::string> folders;  ///< "engine/schedule"
  std::vector<ErrorRow> rows;        ///< by code
};

/// The text of a file: "# TITLE | FOLDERS", then "CODE | EXITS | MEANING | REMEDY" lines, sorted.
Result<ErrorArea> parse_error_area(std::string_view text, std::string const& file);

/// By the files' names.
std::span<ErrorArea const> error_areas();
/// Null: no code of the table. A device of another version may say such a one.
ErrorRow const* find_error(std::string_view code);
/// What can be done about it; empty: the table does not know it.
std::string remedy_of(std::string_view code);
/// "1", "1, 2"; "none".
std::string exits_text(ErrorRow const& row);

}  // namespace tw
