#include <fmt/format.h>

#include "app/cli/output.h"
#include "app/shared/devices.h"
#include "app/shared/lesson/check.h"
#include "app/shared/session_stage.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_lesson {
namespace {

struct Arguments {
  std::vector<std::string> lessons;
};

session::Options options_of(Context const& context) {
  return {.backend = context.backend,
          .cache_folder = context.cache_folder.string(),
          .open_device = [devices = context.devices_file.string()](
                             std::string const& name,
                             StopToken stop) { return choose_device(devices, name, stop, {}); },
          .macros = context.macros};
}

char const* word_of(lesson::Verdict verdict) {
  switch (verdict) {
    case lesson::Verdict::kReached:
      return "reached";
    case lesson::Verdict::kAtTheStart:
      return "at the start";
    case lesson::Verdict::kNotKnown:
      return "not known";
    default:
      return "red";
  }
}

Json to_json(lesson::Lesson const& lesson, lesson::Checked const& checked) {
  Json goals = Json::array();
  for (lesson::Judged const& goal : checked.goals)
    goals.push_back({{"step", goal.step},
                     {"line", goal.line},
                     {"goal", goal.text},
                     {"verdict", word_of(goal.verdict)},
                     {"by_line", goal.by_line},
                     {"by", goal.by},
                     {"why", goal.why}});
  Json json{{"lesson", lesson.name},
            {"title", lesson.title},
            {"reached", checked.reached},
            {"seconds", checked.seconds},
            {"goals", goals}};
  if (checked.failure) json["failure"] = cli::to_json(*checked.failure);
  return json;
}

void print_text(lesson::Lesson const& lesson, lesson::Checked const& checked) {
  fmt::print("{}\n", lesson.title);
  for (lesson::Judged const& goal : checked.goals) {
    bool reached = goal.verdict == lesson::Verdict::kReached;
    fmt::print("  {:<12}  step {}: {}\n", word_of(goal.verdict), goal.step, goal.text);
    if (reached)
      fmt::print("{:16}line {}: {}\n", "", goal.by_line, goal.by);
    else
      fmt::print("{:16}{}\n", "", goal.why);
  }
  fmt::print("{} of {} reached in {:.0f} s\n", checked.reached,
             count_text(int64_t(checked.goals.size()), "goal"), checked.seconds);
}

/// All are checked; the code is that of the first that is not good.
int check(Context const& context, Arguments const& arguments) {
  std::vector<std::string> names = arguments.lessons;
  if (names.empty())
    for (lesson::Card const& card : lesson::cards()) names.push_back(card.name);
  Json rows = Json::array();
  int code = 0;
  for (std::string const& name : names) {
    auto lesson = lesson::open(name);
    if (!lesson) return report(context, lesson.error());
    auto session = session::Session::create(options_of(context));
    if (!session) return report(context, session.error());
    SessionStage stage(**session);
    lesson::Checked checked = lesson::check(*lesson, stage);
    if (context.json)
      rows.push_back(to_json(*lesson, checked));
    else
      print_text(*lesson, checked);
    if (!checked.failure) continue;
    int failed = report(context, *checked.failure);
    code = code ? code : failed;
  }
  if (context.json) print(rows);
  return code;
}

int list(Context const& context) {
  Json rows = Json::array();
  for (lesson::Card const& card : lesson::cards()) {
    rows.push_back({{"name", card.name},
                    {"title", card.title},
                    {"about", card.about},
                    {"minutes", card.minutes},
                    {"goals", card.goals.size()}});
    if (!context.json)
      fmt::print("{}. {:<26} {:>3} min  {}\n{:>36}{}\n", rows.size(), card.name, card.minutes,
                 card.title, "", card.about);
  }
  if (context.json) print(rows);
  return 0;
}

/// As it stands in its file: what a lesson of one's own can begin with.
int show(Context const& context, std::string const& name) {
  auto lesson = lesson::open(name);
  if (!lesson) return report(context, lesson.error());
  for (lesson::Source const& source : lesson::builtin_sources())
    if (source.file == lesson->file) return fmt::print("{}", source.text), 0;
  fmt::print("{}", lesson::to_text(*lesson));
  return 0;
}

void add_lesson(Command app, Context& context) {
  auto command = app.add_subcommand("lesson", "lessons: list them, and check their solutions");
  command.require_subcommand(1);
  command.add_subcommand("list", "list the lessons of the program").callback([&context] {
    context.needs_target = false;
    context.run = [&context] { return list(context); };
  });
  auto arguments = std::make_shared<Arguments>();
  auto showing = command.add_subcommand("show", "print the file of a lesson");
  showing.add_option("LESSON", arguments->lessons, "a name or a number of the list, or a file")
      .required()
      .expected(1);
  showing.callback([&context, arguments] {
    context.needs_target = false;
    context.run = [&context, arguments] { return show(context, arguments->lessons.front()); };
  });
  auto checking = command.add_subcommand(
      "check", "play the solution of a lesson, and fail if it does not reach a goal");
  checking.add_option("LESSON", arguments->lessons,
                      "names or numbers of the list, or files; without one: all of the list");
  checking.callback([&context, arguments] {
    context.run = [&context, arguments] { return check(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 156, .add = add_lesson};
  return row;
}

}  // namespace tw::cli::command_lesson
