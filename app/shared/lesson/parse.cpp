#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "app/shared/lesson/lesson.h"
#include "app/shared/lesson/text.h"

namespace tw::lesson {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kMostSteps = 100, kMostInStep = 100, kMostLines = 1000;
constexpr int kMostSeconds = 3600, kMostMinutes = 600;

struct Row {
  int number = 0;
  std::string_view text;  ///< without blanks at its end
  bool indented() const { return text.starts_with(' ') || text.starts_with('\t'); }
  bool empty() const { return text.empty(); }
};

std::string_view trimmed(std::string_view text) {
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  return text;
}

std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> rows;
  for (int number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
      line.remove_suffix(1);
    rows.push_back({number, line});
  }
  return rows;
}

/// "hint after 30" and what follows its colon; empty where the line begins with no such word.
struct Entry {
  std::string_view word, words;
  std::string_view rest;
};
std::optional<Entry> entry_of(std::string_view line,
                              std::initializer_list<std::string_view> known) {
  size_t colon = line.find(':');
  if (colon == line.npos) return {};
  std::string_view head = line.substr(0, colon);
  size_t blank = std::min(head.find(' '), head.size());
  for (std::string_view word : known)
    if (head.substr(0, blank) == word)
      return Entry{word, trimmed(head.substr(blank)), trimmed(line.substr(colon + 1))};
  return {};
}

class Parser {
public:
  Parser(std::string_view text, std::string const& file) : rows_(rows_of(text)) {
    lesson_.file = file;
    size_t slash = file.find_last_of('/') + 1;
    lesson_.name =
        file.substr(slash, file.rfind('.') > slash ? file.rfind('.') - slash : file.npos);
  }

  Result<Lesson> run() {
    TRY(read_header());
    TRY(read_head());
    while (at_ < rows_.size()) TRY(read_step());
    if (lesson_.title.empty()) return wrong(1, "the lesson has no title");
    if (lesson_.steps.empty()) return wrong(1, "the lesson has no step: a line that begins with #");
    return std::move(lesson_);
  }

private:
  Place place(int line) const { return {lesson_.file, line, 0, {}}; }
  std::unexpected<Error> wrong(int line, std::string message) const {
    return bad_input("bad_lesson", std::move(message), place(line));
  }
  Row const& row() const { return rows_[at_]; }
  void skip_empty() {
    while (at_ < rows_.size() && row().empty()) ++at_;
  }

  Status read_header() {
    skip_empty();
    std::string_view line = at_ < rows_.size() ? row().text : std::string_view();
    int number = at_ < rows_.size() ? row().number : 1;
    if (line == kHeader) return ++at_, Status();
    if (line.starts_with("tilewright lesson "))
      return bad_input("unknown_version",
                       fmt::format("the lesson has version {}; this version of Tilewright reads "
                                   "version 1",
                                   line.substr(18, 20)),
                       place(number));
    return bad_input("not_a_lesson", fmt::format("a lesson begins with '{}'", kHeader),
                     place(number));
  }

  Status read_head() {
    while (skip_empty(), at_ < rows_.size() && !row().text.starts_with("# ")) {
      int number = row().number;
      auto entry = entry_of(row().text, {"title", "about", "minutes", "kernel", "start"});
      if (!entry || !entry->words.empty())
        return wrong(number,
                     "title, about, minutes, kernel or start is expected here, or a step, "
                     "which begins with #");
      ++at_;
      TRY(read_head_entry(*entry, number));
    }
    return {};
  }

  Status read_head_entry(Entry const& entry, int number) {
    if (entry.word == "minutes") {
      TRY_ASSIGN(lesson_.minutes, number_in(entry.rest, 1, kMostMinutes, "minutes", number));
    } else if (entry.word == "kernel" || entry.word == "start") {
      if (!entry.rest.empty())
        return wrong(number, fmt::format("the contents of {} follow it, indented", entry.word));
      return entry.word == "kernel" ? read_kernel(number) : read_moves(lesson_.start, false);
    } else {
      std::string& into = entry.word == "title" ? lesson_.title : lesson_.about;
      into = continued(entry.rest);
      if (into.empty()) return wrong(number, fmt::format("{} has no words", entry.word));
    }
    return {};
  }

  Result<int> number_in(std::string_view text, int low, int high, char const* what, int line) {
    int value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= low && value <= high)
      return value;
    return wrong(line, fmt::format("{} must be an integer from {} to {}", what, low, high));
  }

  /// The lines below that are indented belong to it, too.
  std::string continued(std::string_view first) {
    std::string text(first);
    for (; at_ < rows_.size() && !row().empty() && row().indented(); ++at_)
      text += (text.empty() ? "" : " ") + std::string(trimmed(row().text));
    return text;
  }

  /// Rows below that are indented, with empty ones between them.
  std::vector<Row> block() {
    std::vector<Row> rows;
    size_t end = at_;
    for (size_t i = at_; i < rows_.size() && (rows_[i].empty() || rows_[i].indented()); ++i)
      if (!rows_[i].empty()) end = i + 1;
    for (; at_ < end; ++at_) rows.push_back(rows_[at_]);
    return rows;
  }

  /// A tensor expression, whose first line is left out.
  Status read_kernel(int number) {
    std::vector<Row> rows = block();
    if (rows.empty()) return wrong(number, "the kernel has no text");
    size_t margin = rows.front().text.find_first_not_of(" \t");
    std::string text = "tilewright te 1\n";
    for (Row const& row : rows) {
      size_t from = std::min({row.text.find_first_not_of(" \t"), margin, row.text.size()});
      text += std::string(row.text.substr(from)) + "\n";
    }
    lesson_.start.push_back({number, "kernel", session::AddKernel{std::move(text)}, {}});
    return {};
  }

  Status read_moves(std::vector<Move>& into, bool answers) {
    for (Row const& row : block()) {
      std::string_view text = trimmed(row.text);
      if (text.empty() || text.starts_with('#')) continue;
      if (into.size() >= kMostLines) return wrong(row.number, "there are too many lines here");
      TRY_ASSIGN(Move move, read_move(text, row.number, answers));
      into.push_back(std::move(move));
    }
    return {};
  }

  Result<Move> read_move(std::string_view text, int number, bool answers) {
    Move move{number, std::string(text), {}, {}};
    if (text.starts_with("when ")) {
      size_t colon = text.find(": ");
      if (colon == text.npos) return wrong(number, "what is done when this holds follows a colon");
      TRY_ASSIGN(move.when, read_expect(trimmed(text.substr(5, colon - 5)), number));
      text = trimmed(text.substr(colon + 2));
    }
    if (answers && text == "answer") return move;
    TRY_ASSIGN(journal::Line line, read_line(text, number));
    auto* action = std::get_if<journal::Action>(&line.what);
    if (!action) return wrong(number, "a goal says what is expected, not the solution");
    if (auto const* show = action->as<journal::ShowView>()) TRY(check_view(show->view, number));
    move.action = std::move(*action);
    return move;
  }

  /// As in a journal.
  Result<journal::Line> read_line(std::string_view text, int number) {
    auto read = journal::parse(fmt::format("{}\n{}", journal::kHeader, text), lesson_.file);
    if (!read) {
      read.error().place.line = number;
      read.error().place.column = 0;
      return std::unexpected(read.error());
    }
    if (read->lines.size() != 1) return wrong(number, "a line of a journal is expected here");
    return std::move(read->lines.front());
  }

  Result<journal::Expect> read_expect(std::string_view text, int number) {
    TRY_ASSIGN(journal::Line line, read_line(fmt::format("expect {}", text), number));
    auto* expect = std::get_if<journal::Expect>(&line.what);
    if (!expect) return wrong(number, "a fact is expected here");
    TRY(check_fact(expect->fact, number));
    return std::move(*expect);
  }

  Status check_fact(std::string const& name, int number) const {
    if (journal::is_of_session(name)) return {};
    for (journal::FactInfo const& fact : journal::facts())
      if (fact.name == name)
        return wrong(number,
                     fmt::format("only a window knows {}: a lesson is about the kernel", name));
    return bad_input("unknown_fact", fmt::format("there is no fact '{}'", name), place(number));
  }
  Status check_view(std::string const& name, int number) const {
    if (std::ranges::find(view_names(), journal::view_called(name)) != view_names().end())
      return {};
    return bad_input(
        "unknown_view",
        fmt::format("there is no view '{}'; the views are {}", name, fmt::join(view_names(), ", ")),
        place(number));
  }

  // ---- steps ---------------------------------------------------------------------------------

  Status read_step() {
    if (lesson_.steps.size() >= kMostSteps) return wrong(row().number, "there are too many steps");
    Step step;
    step.line = row().number;
    step.title = trimmed(row().text.substr(2));
    ++at_;
    std::string text;
    while (at_ < rows_.size() && !row().text.starts_with("# ")) {
      int number = row().number;
      auto entry = entry_of(row().text, {"goal", "ask", "choices", "hint", "solution"});
      if (!entry) {
        text += std::string(row().text) + "\n";
        TRY(read_mentions(row(), step));
        ++at_;
        continue;
      }
      ++at_;
      TRY(read_entry(*entry, number, step));
      if (step.goals.size() + step.hints.size() > kMostInStep)
        return wrong(number, "the step has too many goals and hints");
    }
    TRY(finish(step, text));
    lesson_.steps.push_back(std::move(step));
    return {};
  }

  Status finish(Step& step, std::string text) const {
    while (text.starts_with('\n')) text.erase(0, 1);
    while (text.ends_with("\n\n")) text.pop_back();
    step.text = std::move(text);
    if (step.title.empty()) return wrong(step.line, "the step has no title");
    if (step.text.empty()) return wrong(step.line, "the step has no text");
    if (!step.goals.empty() && step.solution.empty())
      return wrong(step.line, "the step has goals and no solution that reaches them");
    for (Goal const& goal : step.goals)
      if (goal.asks && is_in_words(goal.expect.fact) && goal.choices.size() < 2)
        return wrong(goal.line, "a question in words needs choices below it, two at least");
    return {};
  }

  static bool is_in_words(std::string const& name) {
    return std::ranges::any_of(journal::facts(), [&](journal::FactInfo const& fact) {
      return fact.name == name && fact.in_words();
    });
  }

  Status read_entry(Entry const& entry, int number, Step& step) {
    if (entry.word == "solution") {
      if (!entry.rest.empty() || !entry.words.empty())
        return wrong(number, "the lines of a solution follow it, indented");
      return read_moves(step.solution, true);
    }
    std::string text = continued(entry.rest);
    if (text.empty()) return wrong(number, fmt::format("{} has no words", entry.word));
    if (entry.word == "hint") return read_hint(entry, std::move(text), number, step);
    if (!entry.words.empty())
      return wrong(number, fmt::format("a colon is expected after {}", entry.word));
    if (entry.word == "choices") return read_choices(text, number, step);
    return read_goal(text, number, entry.word == "ask", step);
  }

  Status read_hint(Entry const& entry, std::string text, int number, Step& step) {
    Hint hint{number, std::move(text)};
    if (entry.words.starts_with("after ")) {
      TRY_ASSIGN(hint.seconds,
                 number_in(trimmed(entry.words.substr(6)), 1, kMostSeconds, "seconds", number));
    } else if (!entry.words.empty()) {
      return wrong(number, "a hint begins with 'hint:' or 'hint after SECONDS:'");
    }
    step.hints.push_back(std::move(hint));
    return {};
  }

  Status read_goal(std::string const& text, int number, bool asks, Step& step) {
    size_t bar = text.rfind(" | ");
    Goal goal;
    goal.line = number;
    goal.asks = asks;
    if (bar != text.npos) goal.text = trimmed(std::string_view(text).substr(0, bar));
    if (goal.text.empty())
      return wrong(number, asks ? "a question is 'ask: WORDS | FACT'"
                                : "a goal is 'goal: WORDS | FACT RELATION VALUE'");
    std::string_view rest = trimmed(std::string_view(text).substr(bar + 3));
    if (asks) {
      goal.expect.fact = rest;
      TRY(check_fact(goal.expect.fact, number));
    } else {
      TRY_ASSIGN(goal.expect, read_expect(rest, number));
    }
    step.goals.push_back(std::move(goal));
    return {};
  }

  Status read_choices(std::string const& text, int number, Step& step) {
    if (step.goals.empty() || !step.goals.back().asks)
      return wrong(number, "choices follow a question");
    Goal& goal = step.goals.back();
    if (!is_in_words(goal.expect.fact))
      return wrong(
          number, fmt::format("{} is a number: it is asked for without choices", goal.expect.fact));
    for (size_t from = 0; from <= text.size();) {
      size_t comma = std::min(text.find(',', from), text.size());
      std::string choice(trimmed(std::string_view(text).substr(from, comma - from)));
      if (choice.empty() || std::ranges::find(goal.choices, choice) != goal.choices.end())
        return wrong(number, "choices are different words with commas between them");
      goal.choices.push_back(std::move(choice));
      from = comma + 1;
    }
    return {};
  }

  Status read_mentions(Row const& row, Step& step) {
    for (Mention& mention : mentions_of(row.text)) {
      mention.line = row.number;
      if (mention.kind == Mention::Kind::kFact) TRY(check_fact(mention.name, row.number));
      if (mention.kind == Mention::Kind::kView) TRY(check_view(mention.name, row.number));
      if (step.mentions.size() >= kMostLines) return wrong(row.number, "the text names too much");
      step.mentions.push_back(std::move(mention));
    }
    return {};
  }

  std::vector<Row> rows_;
  size_t at_ = 0;
  Lesson lesson_;
};

}  // namespace

Result<Lesson> parse(std::string_view text, std::string const& file) {
  if (text.size() > kMostBytes)
    return bad_input("bad_lesson", "the lesson has more than a million characters",
                     {file, 1, 0, {}});
  return Parser(text, file).run();
}

}  // namespace tw::lesson
