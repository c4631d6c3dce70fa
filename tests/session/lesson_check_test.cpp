// What the check of a lesson finds: goals that stay red, that hold at the start, that nobody can
// judge; names of what is not there.
#include <QtTest>

#include "app/shared/lesson/check.h"
#include "app/shared/session_stage.h"
#include "tests/support/sessions.h"

using namespace tw;

namespace {

constexpr char kHead[] =
    "tilewright lesson 1\n"
    "title: Order\n"
    "kernel:\n"
    "  kernel small(A: f32[8, 6], B: f32[6, 10]) -> C\n"
    "    C[i in 8, j in 10] = sum[k in 6] A[i, k] * B[k, j]\n";

lesson::Checked checked(std::string const& steps) {
  auto lesson = lesson::parse(kHead + steps, "/nowhere/f.lesson");
  if (!lesson) return {{}, 0, 0, lesson.error()};
  auto session = testing::make_session(false);
  SessionStage stage(*session);
  return lesson::check(*lesson, stage);
}
std::string sentence(lesson::Checked const& checked) {
  return checked.failure ? to_sentence(*checked.failure) : "";
}

}  // namespace

class LessonCheckTest : public QObject {
  Q_OBJECT
private slots:
  void a_good_lesson_says_which_line_reached_each_goal() {
    lesson::Checked result = checked(
        "# One\nWords.\n"
        "ask: How many loops? | loops\n"
        "goal: Turned | loops.order = C.i, C.k, C.j\n"
        "goal: Marked | loops.parallel = 1\n"
        "solution:\n"
        "  show loops\n"
        "  answer\n"
        "  step reorder(C.i, C.k, C.j)\n"
        "  when machine.vector_bytes < 1: step unroll(C.k)\n"
        "  step parallel(C.i)\n"
        "# Two\nSee [k](loop:C.k) and [it](kernel:small).\n"
        "goal: Refused | refusal = kinds_do_not_nest\n"
        "solution:\n"
        "  step parallel(C.k)\n");
    QVERIFY2(!result.failure, sentence(result).c_str());
    QCOMPARE(result.reached, 4);
    QCOMPARE(result.goals[1].by_line, 14);
    QCOMPARE(result.goals[2].by, std::string("step parallel(C.i)"));
    QCOMPARE(result.goals[3].step, 2);
  }

  void what_is_wrong_is_a_sentence_with_its_line_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("sentence");
    auto row = [](char const* steps, char const* sentence) {
      QTest::newRow(sentence) << steps << sentence;
    };
    row("# One\nWords.\ngoal: Turned | loops.order = C.k, C.i, C.j\nsolution:\n  undo\n"
        "  step reorder(C.i, C.k, C.j)\n",
        "/nowhere/f.lesson:8: 'Turned' is not reached; loops.order = C.k, C.i, C.j: it is 'C.i, "
        "C.k, C.j'");
    row("# One\nWords.\ngoal: Three | loops = 3\nsolution:\n  step reorder(C.i, C.k, C.j)\n",
        "/nowhere/f.lesson:8: 'Three' holds before anything is done in its step");
    row("# One\nWords.\ngoal: Fast | kernel.of_peak >= 90\nsolution:\n"
        "  step reorder(C.i, C.k, C.j)\n",
        "/nowhere/f.lesson:8: 'Fast' cannot be judged here: kernel.of_peak is not known");
    row("# One\nSee [it](kernel:conv).\n", "/nowhere/f.lesson:7: there is no kernel 'conv'");
    row("# One\nWith {loop.bytes} bytes.\n",
        "/nowhere/f.lesson:7: the text shows loop.bytes, which is not known here");
    row("# One\nSee [it](loop:C.z).\n", "/nowhere/f.lesson:7: there is no loop 'C.z'");
    row("# One\nWords.\n![it](a.png)\n",
        "/nowhere/f.lesson:8: there is no file 'a.png' beside the lesson");
    row("# One\nWords.\ngoal: Two | loops = 2\nsolution:\n  select C.z\n",
        "/nowhere/f.lesson:10: there is no loop 'C.z'");
    row("# One\nWords.\nask: Which? | step\nchoices: a, b\nsolution:\n  answer\n",
        "/nowhere/f.lesson:8: the answer to 'Which?' is 'none', which is none of the choices");
  }
  void what_is_wrong_is_a_sentence_with_its_line() {
    QFETCH(QString, steps);
    QFETCH(QString, sentence);
    lesson::Checked result = checked(steps.toStdString());
    QVERIFY(result.failure);
    QCOMPARE(QString::fromStdString(to_sentence(*result.failure)), sentence);
  }
};

QTEST_GUILESS_MAIN(LessonCheckTest)
#include "lesson_check_test.moc"
