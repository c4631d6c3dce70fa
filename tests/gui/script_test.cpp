// The script as it is written in the window: both ways, with mistakes marked and words completed.
#include <QtTest>

#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolTip>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/script/script_editor.h"

using namespace tw;
using namespace tw::session;

class ScriptViewTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->open_matmul();
    lines("show script\n");
    editor_ = place_->window->findChild<ScriptEditor*>("scriptEditor");
    QVERIFY(editor_ && editor_->isVisible());
  }
  void cleanup() { place_.reset(); }

  void a_step_is_written_where_it_is_taken() {
    QCOMPARE(editor_->text(), QString());
    lines("step i0, i1 = split(C.i, factor=8)\nexpect script.lines = 1\n");
    QCOMPARE(editor_->text().trimmed(), QString("i0, i1 = split(C.i, factor=8)"));
    lines("undo\nexpect script.lines = 0\nredo\nexpect script.lines = 1\n");
  }

  void what_is_typed_is_checked_and_applied() {
    size_t before = place_->session->snapshot().history->nodes.size();
    type("i0, i1 = split(C.i, factor=8)\nparallel(C.i0)");
    QVERIFY(place_->session->script().find("parallel") == std::string::npos);
    lines("expect script.written = yes\nexpect script.problems = 0\n");
    QTest::keyClick(editor_, Qt::Key_Return, Qt::ControlModifier);
    place_->settle();
    lines("expect script.written = no\nexpect loops.parallel = 1\n");
    QCOMPARE(place_->session->snapshot().history->nodes.size(), before + 2);
    // A journal has what was written, so that a replay does the same.
    std::string journal = place_->recorded();
    QVERIFY2(journal.find("write 1 ") != std::string::npos, journal.c_str());
    QVERIFY(journal.find("apply written") != std::string::npos);
    Workplace again(false);
    again.open_matmul();
    QCOMPARE(again.lines("write 1 i0, i1 = split(C.i, factor=8)\nwrite 2 parallel(C.i0)\n"
                         "apply written\nexpect loops.parallel = 1\n"),
             std::string());
  }

  void mistakes_are_marked_and_kept_from_the_kernel() {
    type("vectoriz(C.j)");
    lines("expect script.problems = 1\n");
    QVERIFY(!editor_->annotation(0).isEmpty());
    type("\nparallel(C.k)");
    lines("expect script.problems = 1\n");  // nothing is asked behind a line that cannot be read
    lines("forget written\nexpect script.lines = 0\nexpect script.written = no\n");
    type("parallel(C.k)");
    lines("expect script.problems = 1\n");
    QVERIFY2(editor_->annotation(0).contains("Legal instead"), qPrintable(editor_->annotation(0)));
    keep_picture(*place_->window, "script_refused");
    auto* apply = place_->window->findChild<QPushButton*>("scriptApply");
    apply->click();
    place_->settle();
    QVERIFY(place_->session->snapshot().refusal);
    lines("expect script.written = yes\n");  // what was written is not lost
  }

  void a_line_says_what_it_does() {
    lines("step i0, i1 = split(C.i, factor=8)\nstep parallel(C.i0)\n");
    auto* line = place_->window->findChild<QLabel*>("scriptLine");
    editor_->setCursorPosition(0, 0);
    place_->settle();
    QVERIFY2(line->toolTip().contains("makes C.i0, C.i1 of C.i"), qPrintable(line->toolTip()));
    QVERIFY2(line->toolTip().contains("program +"), qPrintable(line->toolTip()));
    QVERIFY(editor_->accessibleDescription().startsWith("Line 1: split i 8: "));
    editor_->setCursorPosition(1, 0);
    place_->settle();
    QVERIFY2(line->toolTip().startsWith("Line 2: parallel i0: program +1 −1"),
             qPrintable(line->toolTip()));
    lines("expect script.line contains parallel i0\n");
    // What is written and not applied does something as well, or not.
    lines("write 3 unroll(C.i1)\nwrite 4 parallel(C.k)\n");
    editor_->setCursorPosition(2, 0);
    place_->settle();
    lines("expect script.line contains unroll i1\n");
    editor_->setCursorPosition(3, 0);
    place_->settle();
    lines("expect script.line contains does nothing\n");
    keep_picture(*place_->window, "script_line");
  }

  void a_macro_is_written_out_to_be_changed() {
    lines("step reorder(C.k, C.i)\nstep pack_panels(C, C.k, tensor=B)\nexpect script.lines = 2\n");
    auto* write_out = place_->window->findChild<QPushButton*>("scriptWriteOut");
    editor_->setCursorPosition(0, 0);
    place_->settle();
    QVERIFY(!write_out->isVisible());  // no macro stands there
    QCOMPARE(place_->lines("write out 1\n").empty(), false);
    editor_->setCursorPosition(1, 0);
    place_->settle();
    QVERIFY(write_out->isVisible());
    keep_picture(*place_->window, "script_macro");
    uint64_t before = place_->session->snapshot().nest->program_hash;
    write_out->click();
    place_->settle();
    QVERIFY2(editor_->text().contains("cache_read(C, ") && !editor_->text().contains("pack_panels"),
             qPrintable(editor_->text()));
    lines("expect script.written = yes\nexpect script.problems = 0\napply written\n");
    lines("expect script.written = no\n");
    QCOMPARE(place_->session->snapshot().nest->program_hash, before);
    // The macro's own branch stays; a journal says it in a line.
    lines("undo\nundo\nforget written\nstep pack_panels(C, C.k, tensor=B)\n");
    lines("write out 2\nexpect script.problems = 0\nexpect script.written = yes\n");
  }

  void a_long_line_s_effect_ends_with_its_time_however_narrow_it_is() {
    lines(
        "step i0, i1 = split(C.i, factor=8)\nstep j0, j1 = split(C.j, factor=16)\n"
        "step reorder(C.i0, C.j0, C.k, C.i1, C.j1)\nstep vectorize(C.j1)\n");
    auto* line = place_->window->findChild<QLabel*>("scriptLine");
    for (QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
      place_->window->resize(size);
      place_->settle();
      for (int row : {0, 2, 3}) {
        editor_->setCursorPosition(row, 0);
        place_->settle();
        QString whole = line->toolTip().simplified();
        QVERIFY2(line->text().endsWith(whole.right(14)), qPrintable(line->text() + " of " + whole));
        int high =
            line->fontMetrics()
                .boundingRect(QRect(0, 0, line->width(), 1000), Qt::TextWordWrap, line->text())
                .height();
        QVERIFY2(high <= line->height(), qPrintable(line->text()));
      }
      keep_picture(*place_->window, QString("script_long_line_%1").arg(size.width()));
    }
  }

  void the_line_that_is_pointed_at_is_explained() {
    lines("step i0, i1 = split(C.i, factor=8)\nstep parallel(C.i0)\n");
    place_->settle();
    int high = editor_->textHeight(0);
    QPoint second(80, high + high / 2);
    QCOMPARE(editor_->line_below(second), 2);
    QCOMPARE(editor_->line_below(QPoint(80, high / 2)), 1);
    QCOMPARE(editor_->line_below(QPoint(80, 40 * high)), 0);
    QHelpEvent help(QEvent::ToolTip, second, editor_->viewport()->mapToGlobal(second));
    auto shown = [&] {
      QApplication::sendEvent(editor_->viewport(), &help);
      return QToolTip::text();
    };
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains("parallel i0"), qPrintable(QToolTip::text()), 5000);
  }

  void words_are_completed() {
    type("vec");
    editor_->complete();
    QVERIFY(editor_->offers());
    QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Return);
    QCOMPARE(editor_->text().trimmed(), QString("vectorize"));
    type("(C.");
    place_->settle();
    editor_->complete();
    QVERIFY(editor_->offers());
    QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Escape);
    QVERIFY(!editor_->offers());
  }

  void what_was_written_for_one_kernel_is_not_shown_for_another_one() {
    lines("sample dqn\n");
    type("parallel(");
    QString first = editor_->text();
    std::string other = place_->session->snapshot().kernels->rows[1].name;
    lines("kernel " + other + "\nexpect script.written = no\n");
    QVERIFY(editor_->text() != first);
  }

private:
  void type(QString const& text) {
    editor_->setFocus();
    for (QChar letter : text)
      if (letter == '\n')
        QTest::keyClick(editor_, Qt::Key_Return);
      else
        QTest::keyClick(editor_, letter.toLatin1());
    place_->settle();
  }
  void lines(std::string const& text) {
    std::string wrong = place_->lines(text);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  std::unique_ptr<Workplace> place_;
  ScriptEditor* editor_ = nullptr;
};

QTEST_MAIN(ScriptViewTest)
#include "script_test.moc"
