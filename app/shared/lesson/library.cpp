// The lessons of the program, and those of files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/shared/journal/forms.h"
#include "app/shared/lesson/lesson.h"
#include "engine/support/files.h"

namespace tw::lesson {
namespace {

constexpr int64_t kMostBytes = 1 << 20;

/// "resources/lessons/1_loops_and_locality.lesson" -> "loops_and_locality"
std::string name_of(std::string const& file) {
  std::string name = std::filesystem::path(file).stem().string();
  size_t from = name.find_first_not_of("0123456789_");
  return from == name.npos ? name : name.substr(from);
}

Result<Lesson> open_builtin(Source const& source) {
  TRY_ASSIGN(Lesson lesson, parse(source.text, source.file));
  lesson.name = name_of(source.file);
  return lesson;
}

}  // namespace

std::vector<std::string> const& view_names() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> all(pane_names().begin(), pane_names().end());
    for (journal::Vocabulary const* words : vocabulary_table())
      all.insert(all.end(), words->views.begin(), words->views.end());
    std::ranges::sort(all);
    return all;
  }();
  return names;
}

std::vector<Card> cards() {
  std::vector<Card> list;
  for (Source const& source : builtin_sources()) {
    auto lesson = open_builtin(source);
    TW_ASSERT(lesson.has_value(), "a lesson of the program parses: tests read them all");
    Card card{lesson->name, lesson->title, lesson->about, lesson->minutes, {}, {}};
    for (Step const& step : lesson->steps)
      for (Goal const& goal : step.goals)
        if (!goal.asks) card.goals.push_back(goal.text);
    for (Move const& move : lesson->start)
      if (auto const* add = move.action ? move.action->as<session::AddKernel>() : nullptr)
        card.kernel = add->text;
    list.push_back(std::move(card));
  }
  return list;
}

Result<Lesson> open(std::string const& name_or_file) {
  std::vector<std::string> names;
  for (Source const& source : builtin_sources()) {
    names.push_back(name_of(source.file));
    if (names.back() == name_or_file || std::to_string(names.size()) == name_or_file)
      return open_builtin(source);
  }
  bool file = std::filesystem::exists(name_or_file) || name_or_file.ends_with(".lesson");
  if (!file)
    return bad_input("unknown_lesson", fmt::format("there is no lesson '{}'; the lessons are {}, "
                                                   "or a file",
                                                   name_or_file, fmt::join(names, ", ")));
  TRY_ASSIGN(std::string text, read_text(name_or_file, kMostBytes));
  return parse(text, name_or_file);
}

}  // namespace tw::lesson
