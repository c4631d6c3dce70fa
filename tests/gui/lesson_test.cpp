// A lesson in the window: played by hand with clicks and keys, shown by its solution, and by lines
// of a journal.
#include <QtTest>

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <algorithm>

#include "app/shared/lesson/lesson.h"
#include "app/window/panes/lesson/journal.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/lesson/lesson_view.h"
#include "widgets/start/start_page.h"

using namespace tw;

namespace {

constexpr char kLesson[] =
    "tilewright lesson 1\n"
    "title: Order\n"
    "about: Two loops change places.\n"
    "kernel:\n"
    "  kernel matmul(A: f32[24, 16], B: f32[16, 20]) -> C\n"
    "    C[i in 24, j in 20] = sum[k in 16] A[i, k] * B[k, j]\n"
    "\n"
    "# Look\n"
    "The loops stand in the order {loops.order}. See [the roofline](view:roofline).\n"
    "ask: How many iterations has k? | loop.extent\n"
    "hint after 1: Select the bar k.\n"
    "solution:\n"
    "  select C.k\n"
    "  answer\n"
    "# Turn\n"
    "Let [j](loop:C.j) run innermost.\n"
    "goal: The order is i, k, j | loops.order = C.i, C.k, C.j\n"
    "ask: What is the step? | state\n"
    "choices: unknown, correct, wrong\n"
    "hint: Press R.\n"
    "solution:\n"
    "  step reorder(C.i, C.k, C.j)\n"
    "  answer\n";

/// Its first step with a text that fills the pane of a small window more than once.
std::string long_lesson() {
  std::string text = kLesson, prose;
  for (int i = 0; i < 30; ++i)
    prose += "A sentence that says the same once more, in many words.\n\n";
  return text.insert(text.find("ask:"), prose);
}

bool in_sight(QWidget* widget) {
  return widget && widget->visibleRegion().boundingRect() == widget->rect();
}

}  // namespace

class LessonTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    window().resize(1600, 1000);
    file_ = place_->folder.filePath("order.lesson").toStdString();
    std::ofstream(file_) << kLesson;
  }
  void cleanup() { place_.reset(); }

  void its_tab_is_there_while_it_is_open() {
    place_->open_matmul();
    QVERIFY(!tabs().contains("Lesson"));
    open();
    QVERIFY(tabs().contains("Lesson"));
    QVERIFY(view()->isVisible());
    click("lessonClose");
    QVERIFY(!tabs().contains("Lesson"));
    QCOMPARE(place_->lines("expect lesson.name none\nexpect lesson.step = 0\n"), std::string());
  }

  void what_it_speaks_of_is_in_front_in_a_narrow_window() {
    window().resize(1280, 800);
    QCOMPARE(place_->lines("lesson open 1\nexpect view = loops\n"), std::string());
    QVERIFY(window().pane_widget("loops")->isVisible() && view()->isVisible());
    // It is not behind what has the list's place for itself.
    QCOMPARE(place_->lines("show records\nlesson open 1\nexpect view = loops\n"), std::string());
    QVERIFY(view()->isVisible());
  }

  void it_is_played_by_hand() {
    open();
    QCOMPARE(place_->lines("expect lesson.name order\nexpect lesson.step = 1\n"
                           "expect lesson.goals = 3\nexpect lesson.goals_reached = 0\n"),
             std::string());
    QVERIFY(texts().contains("The loops stand in the order C.i, C.j, C.k."));
    QCOMPARE(label("lessonProgress"), QString("1 of 2"));
    QVERIFY(window().perform(journal::SelectLoop{"C.k"}));
    type("15");
    QCOMPARE(label("lessonSaid"), QString("15 is not right. Look again."));
    QCOMPARE(reached(), 0);
    type("16");
    QCOMPARE(reached(), 1);
    QVERIFY(goal_names().contains("Reached: How many iterations has k?"));
    QVERIFY(button("lessonNext")->property("primary").toBool());
    click("lessonNext");
    QCOMPARE(label("lessonProgress"), QString("2 of 2"));
    QVERIFY(goal_names().contains("Open: The order is i, k, j"));
    window().apply_line("reorder(C.i, C.k, C.j)");
    place_->settle();
    QCOMPARE(reached(), 2);
    window().execute(session::Undo{});
    place_->settle();
    QVERIFY2(goal_names().contains("Reached: The order is i, k, j"), "a goal stays reached");
    QTest::keyClick(&window(), Qt::Key_Left, Qt::AltModifier);
    place_->settle();
    QCOMPARE(label("lessonProgress"), QString("1 of 2"));
  }

  void a_choice_answers_a_question_in_words() {
    open();
    QVERIFY(window().perform(journal::GoToLessonStep{2}));
    place_->settle();
    auto choices = view()->findChildren<QPushButton*>("lessonChoice");
    QCOMPARE(choices.size(), 3);
    std::string state = std::get<std::string>(*window().fact("state"));
    auto right = std::ranges::find_if(
        choices, [&](QPushButton* choice) { return choice->text().toStdString() == state; });
    QVERIFY2(right != choices.end(), state.c_str());
    QTest::mouseClick(*right, Qt::LeftButton);
    place_->settle();
    QCOMPARE(reached(), 1);
  }

  void show_me_plays_the_solution_from_where_the_step_began() {
    open();
    for (int i = 0; i < 2; ++i) click("lessonShowMe");
    QCOMPARE(reached(), 1);
    click("lessonNext");
    window().apply_line("parallel(C.i)");
    place_->settle();
    click("lessonShowMe");
    QCOMPARE(place_->lines("expect loops.order = C.i, C.k, C.j\nexpect loops.parallel = 0\n"),
             std::string());
    QCOMPARE(reached(), 2);
    std::string recorded = place_->recorded();
    QVERIFY2(recorded.find("lesson show me") != std::string::npos, recorded.c_str());
    QVERIFY2(recorded.find("step reorder") == std::string::npos, recorded.c_str());
  }

  void who_has_looked_ahead_loses_nothing_by_show_me() {
    open();
    click("lessonNext");
    click("lessonPrevious");
    window().apply_line("parallel(C.i)");
    place_->settle();
    click("lessonNext");
    click("lessonShowMe");
    QCOMPARE(place_->lines("expect loops.order = C.i, C.k, C.j\nexpect loops.parallel = 1\n"),
             std::string());
    // What was begun is shown from where it was begun, whoever looked away meanwhile.
    click("lessonPrevious");
    click("lessonNext");
    click("lessonShowMe");
    QCOMPARE(place_->lines("expect loops.order = C.i, C.k, C.j\nexpect refusal none\n"),
             std::string());
  }

  void what_was_tried_in_a_step_before_the_one_it_builds_on_is_no_place_to_begin() {
    open();
    click("lessonNext");
    window().apply_line("unroll(C.k)");
    place_->settle();
    click("lessonPrevious");
    window().apply_line("parallel(C.i)");
    place_->settle();
    QVERIFY(window().perform(journal::SelectLoop{"C.k"}));
    type("16");
    click("lessonNext");
    click("lessonShowMe");
    QVERIFY2(place_->lines("expect loops.parallel = 1\n").empty(), "the work was thrown away");
  }

  void a_question_is_answered_with_the_keys_alone() {
    open_long();
    QVERIFY(window().perform(journal::ShowView{"kernels"}));
    place_->settle();
    QTest::keyClick(&window(), Qt::Key_A, Qt::AltModifier);
    place_->settle();
    auto* input = view()->findChild<QLineEdit*>("lessonAnswer");
    QCOMPARE(window().focusWidget(), input);
    QVERIFY(in_sight(input));
    QTest::keyClicks(window().focusWidget(), "16");
    QTest::keyClick(window().focusWidget(), Qt::Key_Return);
    place_->settle();
    QCOMPARE(reached(), 1);
    QVERIFY(window().perform(journal::GoToLessonStep{2}));
    window().run_action("Answer the lesson");
    place_->settle();
    QCOMPARE(window().focusWidget()->objectName(), QString("lessonChoice"));
  }

  void at_the_end_the_next_lesson_is_offered_and_the_start_page_remembers() {
    QCOMPARE(on_the_start_page(window()), QString("Lesson 1 of 9: Loops and locality"));
    QCOMPARE(place_->lines("lesson open 1\n"), std::string());
    QVERIFY(!button("lessonFollowing")->isVisible());
    QCOMPARE(place_->lines("lesson step 4\n"), std::string());
    QVERIFY(in_sight(button("lessonFollowing")));
    QCOMPARE(button("lessonFollowing")->text(), QString("Next lesson: Vectors"));
    keep_picture(window(), "lesson_last_step");
    click("lessonFollowing");
    QCOMPARE(place_->lines("expect lesson.name vectors\nexpect lesson.step = 1\n"), std::string());
    QCOMPARE(on_the_start_page(window()), QString("Lesson 2 of 9: Vectors"));
    Workplace later(false, place_->folder.filePath("state"));
    QCOMPARE(on_the_start_page(*later.window), QString("Lesson 2 of 9: Vectors"));
  }

  void who_finishes_stands_at_the_kernels() {
    open();
    click("lessonNext");
    QVERIFY2(!button("lessonFollowing")->isVisible(), "nothing follows a file");
    QCOMPARE(button("lessonNext")->text(), QString("Finish"));
    click("lessonNext");
    auto* left = window().findChild<QTabWidget*>("left");
    QCOMPARE(left->tabText(left->currentIndex()), QString("Kernels"));
    QCOMPARE(on_the_start_page(window()), QString("Lesson 1 of 9: Loops and locality"));
  }

  void a_hint_comes_by_a_button_and_by_itself() {
    open();
    QTRY_COMPARE_WITH_TIMEOUT(hint_texts(), QStringList("Hint: Select the bar k."), 5000);
    QVERIFY(!button("lessonHint")->isEnabled());
    click("lessonNext");
    QVERIFY(hint_texts().isEmpty());
    click("lessonHint");
    QCOMPARE(hint_texts(), QStringList("Hint: Press R."));
  }

  void what_was_just_said_is_in_sight_in_a_small_window() {
    open_long();
    QVERIFY(!in_sight(row(0)));
    QVERIFY2(in_sight(button("lessonBelow")), "the goals below the text are not told of");
    QCOMPARE(button("lessonBelow")->text(), QString("1 open goal below"));
    click("lessonBelow");
    QVERIFY(in_sight(row(0)) && in_sight(view()->findChild<QLineEdit*>("lessonAnswer")));
    QVERIFY(!button("lessonBelow")->isVisible());
    type("15");
    QVERIFY(in_sight(view()->findChild<QLabel*>("lessonSaid")));
    QCOMPARE(view()->findChild<QLineEdit*>("lessonAnswer")->text(), QString("15"));
    keep_picture(window(), "lesson_wrong");
    scroll_bar()->setValue(0);
    type("16");
    QVERIFY(in_sight(row(0)));
    scroll_bar()->setValue(0);
    QVERIFY(!button("lessonBelow")->isVisible());
    click("lessonNext");
    QCOMPARE(scroll_bar()->value(), 0);
  }

  void a_hint_that_comes_by_itself_is_in_sight_and_takes_nothing_away() {
    open_long();
    QTest::keyClicks(view()->findChild<QLineEdit*>("lessonAnswer"), "1");
    QTRY_COMPARE_WITH_TIMEOUT(hint_texts().size(), 1, 5000);
    place_->settle();
    QVERIFY(in_sight(view()->findChild<QLabel*>("lessonHintText")));
    QCOMPARE(view()->findChild<QLineEdit*>("lessonAnswer")->text(), QString("1"));
  }

  void the_page_stays_where_it_was_scrolled_to() {
    open_long();
    click("lessonHint");
    scroll_bar()->setValue(120);
    QVERIFY(window().perform(journal::SetTheme{"light"}));
    place_->settle();
    QCOMPARE(scroll_bar()->value(), 120);
  }

  void the_way_on_looks_like_it_when_the_step_is_done() {
    open();
    QColor before = ground("lessonNext");
    QVERIFY(window().perform(journal::SelectLoop{"C.k"}));
    type("16");
    QVERIFY2(ground("lessonNext") != before, "the button of a step that is done stays grey");
    click("lessonNext");
    QCOMPARE(ground("lessonNext"), before);
  }

  void links_lead_to_views_and_loops() {
    open();
    emit view()->link_asked("loop:C.j");
    QCOMPARE(place_->lines("expect loop = C.j\n"), std::string());
    emit view()->link_asked("view:roofline");
    QVERIFY(place_->recorded().find("show roofline") != std::string::npos);
  }

  void the_dialog_lists_the_lessons_and_opens_one() {
    window().run_action("Open a lesson");
    auto* dialog = window().findChild<QDialog*>("lesson");
    QVERIFY(dialog);
    auto* list = dialog->findChild<QListWidget*>("lessonList");
    QCOMPARE(list->count(), int(lesson::cards().size()));
    QVERIFY(list->item(0)->text().startsWith("1. "));
    QTest::keyClick(list, Qt::Key_Return);
    place_->settle();
    QCOMPARE(std::get<std::string>(*window().fact("lesson.name")), lesson::cards().front().name);
  }

  void mistakes_are_said() {
    QVERIFY(place_->lines("lesson open nonsense\n").find("there is no lesson 'nonsense'") !=
            std::string::npos);
    QVERIFY(place_->lines("lesson step 2\n").find("no lesson is open") != std::string::npos);
    open();
    QVERIFY(place_->lines("lesson step 9\n").find("the lesson has steps 1 to 2") !=
            std::string::npos);
  }

  void nothing_is_cut_in_any_theme() {
    open();
    for (char const* theme : {"dark", "light", "high-contrast"}) {
      QVERIFY(window().perform(journal::SetTheme{theme}));
      place_->settle();
      keep_picture(window(), QString("lesson_") + theme);
      QCOMPARE(wrong_words(*view()), QString());
    }
  }

private:
  MainWindow& window() { return *place_->window; }
  LessonView* view() { return window().findChild<LessonView*>("lessonView"); }
  void open() {
    QVERIFY(window().perform(journal::OpenLesson{file_}));
    place_->settle();
    QTRY_VERIFY(place_->session->snapshot().nest);
    place_->settle();
  }
  QString on_the_start_page(MainWindow& one) {
    StartPage& page = one.start_page();
    QString length = page.findChild<QLabel*>("lessonLength")->text();
    return length.section(" ·", 0, 0) + ": " + page.findChild<QLabel*>("lessonTitle")->text();
  }
  void open_long() {
    window().resize(1280, 800);
    std::ofstream(file_) << long_lesson();
    open();
    QVERIFY(window().perform(journal::SelectLoop{"C.k"}));
    place_->settle();
  }
  QScrollBar* scroll_bar() {
    return view()->findChild<QScrollArea*>("lessonScroll")->verticalScrollBar();
  }
  QWidget* row(int goal) { return view()->findChildren<QWidget*>("lessonGoal").value(goal); }
  /// Beside its words.
  QColor ground(char const* name) {
    QImage image = button(name)->grab().toImage();
    return image.pixelColor(6, image.height() / 2);
  }
  QPushButton* button(char const* name) { return view()->findChild<QPushButton*>(name); }
  void click(char const* name) {
    QTest::mouseClick(button(name), Qt::LeftButton);
    place_->settle();
  }
  void type(char const* words) {
    auto* input = view()->findChild<QLineEdit*>("lessonAnswer");
    input->clear();
    QTest::keyClicks(input, words);
    QTest::keyClick(input, Qt::Key_Return);
    place_->settle();
  }
  QString label(char const* name) {
    auto* found = view()->findChild<QLabel*>(name);
    return found ? found->text() : QString();
  }
  QString texts() {
    QString all;
    for (QLabel* one : view()->findChildren<QLabel*>("lessonText")) all += one->text();
    return all;
  }
  QStringList hint_texts() {
    QStringList all;
    for (QLabel* one : view()->findChildren<QLabel*>("lessonHintText")) all << one->text();
    return all;
  }
  QStringList goal_names() {
    QStringList names;
    for (QWidget* one : view()->findChildren<QWidget*>("lessonGoal"))
      names << one->accessibleName();
    return names;
  }
  int reached() { return int(std::get<double>(*window().fact("lesson.goals_reached"))); }
  QStringList tabs() {
    QStringList names;
    auto* left = window().findChild<QTabWidget*>("left");
    for (int i = 0; i < left->count(); ++i) names << left->tabText(i);
    return names;
  }

  std::unique_ptr<Workplace> place_;
  std::string file_;
};

QTEST_MAIN(LessonTest)
#include "lesson_test.moc"
