#include "app/shared/journal/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <typeinfo>

#include "app/shared/journal/forms.h"

namespace tw::journal {
namespace {

constexpr size_t kMostLines = 200'000;
constexpr size_t kLongestLine = 1 << 20;

struct Sign {
  Compare compare;
  char const* text;
};
constexpr Sign kSigns[] = {{Compare::kIsNot, "!="},         {Compare::kAtMost, "<="},
                           {Compare::kAtLeast, ">="},       {Compare::kLess, "<"},
                           {Compare::kMore, ">"},           {Compare::kIs, "="},
                           {Compare::kContains, "contains"}};

struct UnitInfo {
  char const* text;
  char const* of;  ///< unit of a fact that may be given in it
  double factor;
};
constexpr UnitInfo kUnits[] = {
    {"us", "ms", 1e-3}, {"ms", "ms", 1}, {"s", "ms", 1e3}, {"GFLOP/s", "GFLOP/s", 1}};

FactInfo const* find_fact(std::string const& name) {
  for (FactInfo const& fact : facts())
    if (fact.name == name || (!fact.former.empty() && fact.former == name)) return &fact;
  return nullptr;
}

/// The longest row of dotted or blank-separated words that names a fact.
Result<FactInfo const*> parse_fact(Reader& reader) {
  size_t begin = reader.position(), after = begin;
  if (reader.at_end()) return reader.wrong("a fact is missing");
  FactInfo const* best = nullptr;
  std::string name, first;
  while (!reader.at_end() && name.size() < 80) {
    auto word = reader.word("a fact");
    if (!word) break;  // a quote is no fact's name; what stands there is read below
    if (first.empty()) first = *word;
    name += (name.empty() ? "" : ".") + *word;
    if (FactInfo const* fact = find_fact(name)) best = fact, after = reader.position();
  }
  reader.go_to(after);
  if (best) return best;
  std::vector<std::string> names;
  for (FactInfo const& fact : facts()) names.push_back(fact.name);
  auto error = reader.wrong(
      fmt::format("there is no fact '{}'; the facts are {}", first, fmt::join(names, ", ")), begin);
  error.error().code = "unknown_fact";
  return error;
}

Result<Expect> parse_expect(Reader& reader) {
  TRY_ASSIGN(FactInfo const* fact, parse_fact(reader));
  Expect expect;
  expect.fact = fact->name;
  size_t sign_at = reader.position();
  for (Sign const& sign : kSigns)
    if (reader.take(sign.text)) {
      expect.compare = sign.compare;
      break;
    }
  bool ordered = expect.compare != Compare::kIs && expect.compare != Compare::kIsNot;
  if (fact->in_words()) {
    if (ordered && expect.compare != Compare::kContains)
      return reader.wrong(fmt::format("{} is text: use =, != or contains", fact->name), sign_at);
    TRY_ASSIGN(expect.text, reader.rest("what is expected"));
    return expect;
  }
  if (expect.compare == Compare::kContains)
    return reader.wrong(fmt::format("{} is a number: use a comparison, not contains", fact->name),
                        sign_at);
  TRY_ASSIGN(expect.number, reader.number("what is expected"));
  for (UnitInfo const& unit : kUnits)
    if (unit.of == fact->unit && reader.take(unit.text)) {
      expect.number *= unit.factor;
      break;
    }
  TRY(reader.end());
  return expect;
}

/// Whether the line goes on with these words; the reader stands behind them then.
bool take_words(Reader& reader, std::string_view words) {
  while (!words.empty()) {
    size_t blank = std::min(words.find(' '), words.size());
    if (!reader.take(words.substr(0, blank))) return false;
    words.remove_prefix(std::min(blank + 1, words.size()));
  }
  return true;
}

/// The form with the longest words wins: "measure model" is not "measure".
Status parse_action(Reader& reader, Action& into) {
  Form const* best = nullptr;
  size_t begin = reader.position(), after = begin;
  for (Form const& form : forms())
    for (std::string const& words : {form.info.words, form.info.former}) {
      reader.go_to(begin);
      if (words.empty() || !take_words(reader, words)) continue;
      if (!best || reader.position() > after) best = &form, after = reader.position();
    }
  reader.go_to(begin);
  if (!best) {
    TRY_ASSIGN(std::string word, reader.word("an action"));
    auto error = reader.wrong(fmt::format("there is no action '{}'", word), begin);
    error.error().code = "unknown_action";
    return error;
  }
  reader.go_to(after);
  return best->parse(reader, into);
}

Status check_header(std::string_view line, Place const& place) {
  if (line == kHeader) return {};
  if (line.starts_with("tilewright journal "))
    return bad_input(
        "unknown_version",
        fmt::format("the journal has version {}; this version of Tilewright reads version 1",
                    line.substr(19, 20)),
        place);
  return bad_input("not_a_journal", fmt::format("a journal begins with '{}'", kHeader), place);
}

Result<Line> parse_line(std::string_view text, Place const& place) {
  Reader reader(text, place);
  Line line{place.line, {}};
  if (reader.take("expect")) {
    TRY_ASSIGN(line.what, parse_expect(reader));
  } else {
    TRY(parse_action(reader, line.what.emplace<Action>()));
  }
  return line;
}

std::optional<std::string> form_text(Action const& action) {
  for (Form const& form : forms())
    if (auto text = form.print(action)) return text;
  return {};
}

}  // namespace

Result<Journal> parse(std::string_view text, std::string const& file) {
  Journal journal{file, {}};
  bool begun = false;
  Place place{file, 0, 0, {}};
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++place.line;
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (line.size() > kLongestLine)
      return bad_input("unusable_argument", "the line has more than a million characters", place);
    if (!begun) {
      TRY(check_header(line, place));
      begun = true;
      continue;
    }
    TRY_ASSIGN(Line next, parse_line(line, place));
    journal.lines.push_back(std::move(next));
    if (journal.lines.size() > kMostLines)
      return bad_input("unusable_argument", "the journal has more lines than are replayed", place);
  }
  if (!begun) {
    place.line = std::max(place.line, 1);
    TRY(check_header("", place));
  }
  return journal;
}

bool has_form(Action const& action) { return form_text(action).has_value(); }

std::string to_text(Action const& action) {
  if (auto text = form_text(action)) return *text;
  return "# an action that a journal cannot express";
}

std::string to_text(Expect const& expect) {
  std::string line = "expect " + expect.fact;
  for (Sign const& sign : kSigns)
    if (sign.compare == expect.compare) line += fmt::format(" {} ", sign.text);
  FactInfo const* fact = find_fact(expect.fact);
  if (fact && fact->in_words()) return line + rest_text(expect.text);
  line += number_text(expect.number);
  return fact && !fact->unit.empty() ? line + " " + fact->unit : line;
}

std::string to_text(Journal const& journal) {
  std::string text = std::string(kHeader) + "\n";
  for (Line const& line : journal.lines)
    text += std::visit([](auto const& what) { return to_text(what); }, line.what) + "\n";
  return text;
}

std::vector<FormInfo> form_list() {
  std::vector<FormInfo> list;
  for (Form const& form : forms()) list.push_back(form.info);
  return list;
}

std::vector<Action> one_of_each() {
  std::vector<Action> all;
  for (Form const& form : forms()) all.push_back(form.example);
  return all;
}

bool replaces(Action const& next, Action const& before) {
  if (next.kind() != before.kind()) return false;
  Form const* form = form_of(next);
  return form && form->replaces && form->replaces(next, before);
}

}  // namespace tw::journal
