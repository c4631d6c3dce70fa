// Two texts of code compared line by line: what stayed, came, went and moved.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

constexpr size_t kMostCells = 4'000'000;  // of the table of common subsequences: some 10 ms

/// A line of the first text, of the second one, or the same line of both.
struct Row {
  std::optional<size_t> before, after;
};

std::string_view trimmed(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::vector<std::string_view> trimmed_lines(CodeText const& text) {
  std::vector<std::string_view> lines;
  for (CodeLine const& line : text.lines) lines.push_back(trimmed(line.text));
  return lines;
}

/// The longest common subsequence of what lies between the common ends. Where that would take too
/// long everything in between counts as replaced.
std::vector<Row> align(std::vector<std::string_view> const& a,
                       std::vector<std::string_view> const& b) {
  size_t first = 0, end_a = a.size(), end_b = b.size();
  while (first < end_a && first < end_b && a[first] == b[first]) ++first;
  while (end_a > first && end_b > first && a[end_a - 1] == b[end_b - 1]) --end_a, --end_b;
  std::vector<Row> rows;
  for (size_t i = 0; i < first; ++i) rows.push_back({i, i});
  size_t n = end_a - first, m = end_b - first;
  bool too_long = n > 0 && m > kMostCells / n;
  std::vector<int> common(too_long ? 0 : (n + 1) * (m + 1), 0);
  auto at = [&](size_t i, size_t j) -> int& { return common[i * (m + 1) + j]; };
  for (size_t i = too_long ? 0 : n; i-- > 0;)
    for (size_t j = m; j-- > 0;)
      at(i, j) = a[first + i] == b[first + j] ? at(i + 1, j + 1) + 1
                                              : std::max(at(i + 1, j), at(i, j + 1));
  for (size_t i = 0, j = 0; i < n || j < m;) {
    if (!too_long && i < n && j < m && a[first + i] == b[first + j])
      rows.push_back({first + i++, first + j++});
    else if (j < m && (i == n || (!too_long && at(i, j + 1) >= at(i + 1, j))))
      rows.push_back({std::nullopt, first + j++});
    else
      rows.push_back({first + i++, std::nullopt});
  }
  for (size_t i = end_a, j = end_b; i < a.size();) rows.push_back({i++, j++});
  return rows;
}

struct LineMarks {
  std::vector<LineChange> before, after;
};

/// The same text gone here and come there has moved.
LineMarks marks_of(std::vector<Row> const& rows, std::vector<std::string_view> const& a,
                   std::vector<std::string_view> const& b) {
  LineMarks marks{std::vector(a.size(), LineChange::kSame),
                  std::vector(b.size(), LineChange::kSame)};
  std::multimap<std::string_view, size_t> come;
  for (size_t r = 0; r < rows.size(); ++r)
    if (!rows[r].before) {
      marks.after[*rows[r].after] = LineChange::kAdded;
      come.emplace(b[*rows[r].after], r);
    }
  for (size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].after) continue;
    size_t line = *rows[r].before;
    auto found = come.find(a[line]);
    marks.before[line] = LineChange::kRemoved;
    if (found == come.end() || a[line].empty()) continue;
    LineChange way = found->second < r ? LineChange::kMovedUp : LineChange::kMovedDown;
    marks.before[line] = marks.after[*rows[found->second].after] = way;
    come.erase(found);
  }
  return marks;
}

CodeLine marked(CodeLine line, LineChange change) {
  line.change = change;
  return line;
}

CodeLine gap() {
  CodeLine line;
  line.change = LineChange::kGap;
  return line;
}

}  // namespace

CodeText with_changes(CodeText now, CodeText const& before) {
  auto a = trimmed_lines(before), b = trimmed_lines(now);
  std::vector<Row> rows = align(a, b);
  LineMarks marks = marks_of(rows, a, b);
  std::vector<CodeLine> lines;
  for (Row const& row : rows)
    if (row.after)
      lines.push_back(marked(now.lines[*row.after], marks.after[*row.after]));
    else if (marks.before[*row.before] == LineChange::kRemoved)
      lines.push_back(marked(before.lines[*row.before], LineChange::kRemoved));
  now.lines = std::move(lines);
  return now;
}

CodePair side_by_side(CodeText before, CodeText after) {
  auto a = trimmed_lines(before), b = trimmed_lines(after);
  std::vector<Row> rows = align(a, b);
  LineMarks marks = marks_of(rows, a, b);
  std::vector<CodeLine> left, right;
  for (size_t r = 0; r < rows.size();) {
    if (rows[r].before && rows[r].after) {
      left.push_back(before.lines[*rows[r].before]);
      right.push_back(after.lines[*rows[r++].after]);
      continue;
    }
    // What went stands beside what came.
    for (; r < rows.size() && !(rows[r].before && rows[r].after); ++r)
      if (rows[r].before)
        left.push_back(marked(before.lines[*rows[r].before], marks.before[*rows[r].before]));
      else
        right.push_back(marked(after.lines[*rows[r].after], marks.after[*rows[r].after]));
    size_t longest = std::max(left.size(), right.size());
    left.resize(longest, gap());
    right.resize(longest, gap());
  }
  before.lines = std::move(left);
  after.lines = std::move(right);
  return {std::move(before), std::move(after)};
}

}  // namespace tw::session
