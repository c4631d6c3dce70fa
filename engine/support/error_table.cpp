#include "engine/support/error_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace tw {
namespace {

std::vector<std::string> parts_of(std::string_view line, std::string_view between) {
  std::vector<std::string> parts;
  for (size_t at = 0;;) {
    size_t end = std::min(line.find(between, at), line.size());
    parts.emplace_back(line.substr(at, end - at));
    if (end == line.size()) return parts;
    at = end + between.size();
  }
}

/// "1,2", or "-" for none; empty: it is neither.
std::optional<std::vector<int>> exits_in(std::string const& text) {
  std::vector<int> exits;
  if (text == "-") return exits;
  for (std::string const& one : parts_of(text, ",")) {
    if (one.size() != 1 || one[0] < '1' || one[0] > '3') return std::nullopt;
    exits.push_back(one[0] - '0');
  }
  bool rising = std::ranges::adjacent_find(exits, std::greater_equal()) == exits.end();
  return rising ? std::optional(exits) : std::nullopt;
}

bool is_sentence(std::string const& text) { return text.size() > 1 && text.back() == '.'; }

std::optional<ErrorRow> row_in(std::string_view line) {
  std::vector<std::string> parts = parts_of(line, " | ");
  if (parts.size() != 4 || parts[0].empty()) return std::nullopt;
  auto exits = exits_in(parts[1]);
  if (!exits || !is_sentence(parts[2]) || !is_sentence(parts[3])) return std::nullopt;
  return ErrorRow{parts[0], *exits, parts[2], parts[3]};
}

std::vector<ErrorArea> read_areas() {
  std::vector<ErrorArea> areas;
  for (ErrorText const& one : error_texts()) {
    auto area = parse_error_area(one.text, one.file);
    TW_ASSERT(area, area.error().message.c_str());
    areas.push_back(std::move(*area));
  }
  return areas;
}

}  // namespace

Result<ErrorArea> parse_error_area(std::string_view text, std::string const& file) {
  auto wrong = [&](int line, char const* why) {
    return bad_input("bad_error_table", why, Place{file, line, 0, {}});
  };
  std::vector<std::string> lines = parts_of(text, "\n");
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::vector<std::string> head = parts_of(lines.empty() ? "" : lines[0], " | ");
  if (head.size() != 2 || !head[0].starts_with("# "))
    return wrong(1, "the first line is '# TITLE | FOLDERS'");
  ErrorArea area{head[0].substr(2), parts_of(head[1], " "), {}};
  for (size_t i = 1; i < lines.size(); ++i) {
    auto row = row_in(lines[i]);
    if (!row) return wrong(int(i) + 1, "a line is 'CODE | EXITS | MEANING. | REMEDY.'");
    if (!area.rows.empty() && area.rows.back().code >= row->code)
      return wrong(int(i) + 1, "the codes are sorted, and each stands once");
    area.rows.push_back(std::move(*row));
  }
  return area;
}

std::span<ErrorArea const> error_areas() {
  static std::vector<ErrorArea> const areas = read_areas();
  return areas;
}

ErrorRow const* find_error(std::string_view code) {
  for (ErrorArea const& area : error_areas()) {
    auto row = std::ranges::lower_bound(area.rows, code, {}, &ErrorRow::code);
    if (row != area.rows.end() && row->code == code) return &*row;
  }
  return nullptr;
}

std::string remedy_of(std::string_view code) {
  ErrorRow const* row = find_error(code);
  return row ? row->remedy : "";
}

std::string exits_text(ErrorRow const& row) {
  return row.exits.empty() ? "none" : fmt::format("{}", fmt::join(row.exits, ", "));
}

}  // namespace tw
