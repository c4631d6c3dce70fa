// Lessons as text: read, written again, and what is wrong with them.
#include <QtTest>

#include "app/shared/lesson/lesson.h"
#include "app/shared/lesson/walk.h"
#include "engine/session/facts/whole_facts.h"
#include "engine/support/files.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

constexpr char kHead[] = "tilewright lesson 1\ntitle: Order\n";
constexpr char kSmall[] =
    "tilewright lesson 1\n"
    "title: Order\n"
    "about: Two\n"
    "  lines.\n"
    "minutes: 7\n"
    "kernel:\n"
    "    kernel m(A: f32[4, 4]) -> C\n"
    "      C[i in 4] = sum[k in 4] A[i, k]\n"
    "\n"
    "# First\n"
    "See {kernel.speed} and [the roofs](view:roofline).\n"
    "\n"
    "goal: Turned | loops.order = C.k, C.i\n"
    "ask: How long? | loop.extent\n"
    "hint: Press R.\n"
    "hint after 20: Turn\n"
    "  them.\n"
    "solution:\n"
    "  # R does it\n"
    "  when machine.vector_bytes < 64: step reorder(C.k, C.i)\n"
    "  when machine.vector_bytes >= 64: step swap()\n"
    "  select C.k\n"
    "  answer\n"
    "# Second\n"
    "Done.\n";

std::string error_of(std::string const& text) {
  auto lesson = lesson::parse(text, "f");
  return lesson ? "" : to_sentence(lesson.error());
}

session::FactValue value(double number) { return number; }
session::FactValue value(char const* words) { return std::string(words); }

}  // namespace

class LessonParseTest : public QObject {
  Q_OBJECT
private slots:
  void a_lesson_is_read_as_it_stands() {
    auto lesson = lesson::parse(kSmall, "/a/b_c.lesson");
    QVERIFY2(lesson, lesson ? "" : to_sentence(lesson.error()).c_str());
    QCOMPARE(lesson->name, std::string("b_c"));
    QCOMPARE(lesson->about, std::string("Two lines."));
    QCOMPARE(lesson->minutes, 7);
    QCOMPARE(lesson->start.size(), size_t(1));
    auto const* kernel = lesson->start[0].action->as<session::AddKernel>();
    QVERIFY(kernel);
    QCOMPARE(kernel->text, std::string("tilewright te 1\nkernel m(A: f32[4, 4]) -> C\n"
                                       "  C[i in 4] = sum[k in 4] A[i, k]\n"));
    QCOMPARE(lesson->steps.size(), size_t(2));
    lesson::Step const& step = lesson->steps[0];
    QCOMPARE(step.text, std::string("See {kernel.speed} and [the roofs](view:roofline).\n"));
    QCOMPARE(step.goals.size(), size_t(2));
    QCOMPARE(step.goals[0].expect.text, std::string("C.k, C.i"));
    QVERIFY(step.goals[1].asks);
    QCOMPARE(step.hints.size(), size_t(2));
    QCOMPARE(step.hints[0].seconds, 90);
    QCOMPARE(step.hints[1].seconds, 20);
    QCOMPARE(step.hints[1].text, std::string("Turn them."));
    QCOMPARE(step.solution.size(), size_t(4));
    QVERIFY(!step.solution[3].action);
    QCOMPARE(step.solution[0].line, 20);
    QCOMPARE(step.mentions.size(), size_t(2));
  }

  void its_text_gives_it_back() {
    auto lesson = lesson::parse(kSmall);
    std::string text = lesson::to_text(*lesson);
    auto again = lesson::parse(text);
    QVERIFY2(again, again ? "" : to_sentence(again.error()).c_str());
    QCOMPARE(lesson::to_text(*again), text);
    QCOMPARE(again->goals(), lesson->goals());
  }

  void mistakes_are_one_sentence_with_their_line_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    auto row = [](std::string const& text, char const* sentence) {
      QTest::newRow(sentence) << QString::fromStdString(text) << sentence;
    };
    std::string head = kHead, step = head + "# One\nWords.\n";
    row("", "f:1: a lesson begins with 'tilewright lesson 1'");
    row("tilewright lesson 2\n",
        "f:1: the lesson has version 2; this version of Tilewright reads version 1");
    row("tilewright lesson 1\n# One\nWords.\n", "f:1: the lesson has no title");
    row(head, "f:1: the lesson has no step: a line that begins with #");
    row(head + "pages: 3\n",
        "f:3: title, about, minutes, kernel or start is expected here, or a step, which begins "
        "with #");
    row(head + "minutes: long\n", "f:3: minutes must be an integer from 1 to 600");
    row(head + "kernel:\n# One\n", "f:3: the kernel has no text");
    row(head + "start:\n  jumpp 3\n", "f:4: there is no action 'jumpp'");
    row(head + "# One\n# Two\n", "f:3: the step has no text");
    row(step + "goal: Reached\n", "f:5: a goal is 'goal: WORDS | FACT RELATION VALUE'");
    row(step + "goal: Reached | view = loops\n",
        "f:5: only a window knows view: a lesson is about the kernel");
    row(step + "goal: Reached | loops.order < 3\n",
        "f:5: loops.order is text: use =, != or contains");
    row(step + "goal: Reached | loops = 3\n",
        "f:3: the step has goals and no solution that reaches them");
    row(step + "ask: Which? | kernel.bound\nsolution:\n  answer\n",
        "f:5: a question in words needs choices below it, two at least");
    row(step + "ask: How many? | loops\nchoices: 1, 2\n",
        "f:6: loops is a number: it is asked for without choices");
    row(step + "choices: 1, 2\n", "f:5: choices follow a question");
    row(step + "See {kernel.sped}.\n", "f:5: there is no fact 'kernel.sped'");
    // What looks like a fact would else be read as it stands, braces and all.
    row(step + "See {machine.l7}.\n", "f:5: there is no fact 'machine.l7'");
    row(step + "See {Kernel.of-peak}.\n", "f:5: there is no fact 'Kernel.of-peak'");
    row(step + "hint soon: Press R.\n", "f:5: a hint begins with 'hint:' or 'hint after SECONDS:'");
    row(step + "hint after 0: Press R.\n", "f:5: seconds must be an integer from 1 to 3600");
    row(step + "solution:\n  expect loops 3\n",
        "f:6: a goal says what is expected, not the solution");
    row(step + "solution:\n  when loops = 3 undo\n",
        "f:6: what is done when this holds follows a colon");
  }
  void mistakes_are_one_sentence_with_their_line() {
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    QCOMPARE(QString::fromStdString(error_of(text.toStdString())), sentence);
  }
  void a_view_that_there_is_not_is_a_mistake_wherever_it_is_named() {
    for (std::string line : {"[A](view:rooline)\n", "solution:\n  show rooline\n"}) {
      std::string sentence = error_of(std::string(kHead) + "# One\nWords.\n" + line);
      QVERIFY2(
          sentence.find(
              "there is no view 'rooline'; the views are ablation, access, assembly, attributes, "
              "code, compare") != std::string::npos,
          sentence.c_str());
    }
  }

  void a_goal_stays_reached_and_an_answer_is_what_the_fact_says() {
    lesson::Walk walk(lesson::parse(kSmall).value());
    std::string order = "C.i, C.k";
    auto fact = [&](std::string const& name) -> std::optional<session::FactValue> {
      if (name == "loops.order") return value(order.c_str());
      if (name == "loop.extent") return value(200);
      if (name == "machine.vector_bytes") return value(32);
      return {};
    };
    QVERIFY(!walk.look(fact));
    order = "C.k, C.i";
    QVERIFY(walk.look(fact));
    order = "C.i, C.k";
    QVERIFY(!walk.look(fact));
    QCOMPARE(walk.reached(), 1);
    QVERIFY(!walk.step_is_done());
    QVERIFY(!walk.answer("190", fact).value());
    QVERIFY(!walk.answer("two hundred", fact).value());
    QVERIFY2(!walk.answer("201", fact).value(), "iterations are counted, not read off a scale");
    QVERIFY(walk.answer("200", fact).value());
    QVERIFY(walk.step_is_done());
    QCOMPARE(walk.answer("200", fact).error().code, std::string("no_question"));
    QVERIFY(!walk.go_to(2) && walk.go_to(1));
  }

  void a_ratio_is_read_off_a_scale_and_a_count_is_exact() {
    std::string text = kSmall;
    text.replace(text.find("loop.extent"), 11, "kernel.intensity");
    lesson::Walk walk(lesson::parse(text).value());
    auto fact = [](std::string const&) { return std::optional(value(0.25)); };
    QVERIFY(!walk.answer("0.2", fact).value());
    QVERIFY(walk.answer("0.245", fact).value());
    for (char const* name : {"loop.extent", "loops", "loop.bytes", "assembly.fused", "stages"})
      QVERIFY2(session::is_whole(name), name);
    for (session::Fact const& one : session::facts()) {
      bool counts = one.info.doc.starts_with("number of") || one.info.doc.starts_with("bytes of");
      if (counts) QVERIFY2(session::is_whole(one.info.name), one.info.name.c_str());
      bool has_unit = !one.info.unit.empty();
      if (has_unit) QVERIFY2(!session::is_whole(one.info.name), one.info.name.c_str());
    }
  }

  void lines_for_other_machines_are_passed_over() {
    lesson::Walk walk(lesson::parse(kSmall).value());
    auto wide = [](std::string const&) { return std::optional(value(64)); };
    QCOMPARE(walk.next_move(wide)->line, 21);
    QCOMPARE(walk.next_move(wide)->line, 22);
    QCOMPARE(walk.next_move(wide)->line, 23);
    QVERIFY(!walk.next_move(wide));
    walk.begin_solution();
    auto unknown = [](std::string const&) { return std::optional<session::FactValue>(); };
    QCOMPARE(walk.next_move(unknown)->line, 22);
  }

  void facts_are_shown_as_they_are_now() {
    auto lesson = lesson::parse(
        std::string(kHead) +
        "# One\nAt {kernel.speed}, {kernel.bound}, {loops} {not a fact}, L1 has {machine.l1}.\n");
    QVERIFY2(lesson, lesson ? "" : to_sentence(lesson.error()).c_str());
    std::string shown = lesson::shown_text(lesson->steps[0], [](std::string const& name) {
      if (name == "kernel.speed") return std::optional(value(12.345));
      if (name == "loops") return std::optional(value(3));
      if (name == "machine.l1") return std::optional(value(49152));
      return std::optional<session::FactValue>();
    });
    QCOMPARE(shown, std::string("At 12.3 GFLOP/s, ..., 3 {not a fact}, L1 has 49152.\n"));
  }

  void the_example_of_the_documents_is_a_lesson() {
    auto page = read_text(testing::source("/resources/docs/lessons.md"));
    QVERIFY(page);
    size_t begin = page->find(lesson::kHeader), end = page->find("```", begin);
    QVERIFY(begin != page->npos && end != page->npos);
    auto lesson = lesson::parse(page->substr(begin, end - begin), "lessons.md");
    QVERIFY2(lesson, lesson ? "" : to_sentence(lesson.error()).c_str());
    QCOMPARE(lesson->goals(), 2);
  }

  void what_fits_the_text_of_the_first_lesson_is_right() {
    lesson::Walk walk(lesson::open("1").value());
    auto fact = [](std::string const& name) -> std::optional<session::FactValue> {
      if (name == "loops.order") return value("C.k, C.j, C.i");  // as dragging i inwards gives it
      if (name == "loops.innermost") return value("C.i");
      return {};
    };
    QVERIFY(walk.go_to(2));
    QVERIFY2(walk.look(fact), "it asks to let i run innermost, and no more");
  }

  void a_lesson_that_shows_what_a_loop_touches_says_which() {
    for (lesson::Card const& card : lesson::cards()) {
      lesson::Lesson lesson = lesson::open(card.name).value();
      for (lesson::Step const& step : lesson.steps) {
        auto shows = [&](char const* name) {
          return std::ranges::count(step.mentions, name, &lesson::Mention::name) > 0;
        };
        QVERIFY2(!shows("loop.bytes") || shows("loop"), card.name.c_str());
      }
    }
  }

  void the_lessons_of_the_program_parse() {
    std::vector<lesson::Card> cards = lesson::cards();
    QVERIFY(!cards.empty());
    for (size_t i = 0; i < cards.size(); ++i) {
      QVERIFY2(!cards[i].about.empty() && !cards[i].goals.empty(), cards[i].name.c_str());
      QCOMPARE(lesson::open(cards[i].name)->title, cards[i].title);
      QCOMPARE(lesson::open(std::to_string(i + 1))->title, cards[i].title);
    }
    for (lesson::Card const& card : cards) no_braces_are_shown(lesson::open(card.name).value());
    QCOMPARE(lesson::open("nonsense").error().code, std::string("unknown_lesson"));
    QVERIFY(!lesson::open("/nowhere/a.lesson"));
  }

private:
  void no_braces_are_shown(lesson::Lesson const& lesson) {
    for (lesson::Step const& step : lesson.steps) {
      std::string shown =
          lesson::shown_text(step, [](std::string const&) { return std::optional(value(1)); });
      QVERIFY2(shown.find('{') == shown.npos, (lesson.name + ": " + shown).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(LessonParseTest)
#include "parse_test.moc"
