// Where the focus goes when what has it goes: it stays in its pane. Qt's way is the first button of
// the window, which closes the model.
#include <QtTest>

#include <QLineEdit>
#include <QPushButton>
#include <fstream>

#include "app/window/pane.h"
#include "app/window/panes/lesson/journal.h"
#include "tests/gui/workplace.h"
#include "widgets/focus/focus_ring.h"

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
    "Text.\n"
    "ask: What is the step? | state\n"
    "choices: unknown, correct, wrong\n"
    "ask: How many loops are there? | loops\n"
    "hint: Count them.\n"
    "solution:\n"
    "  answer\n"
    "  answer\n";

}  // namespace

class FocusTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->open_matmul();
    window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window()));
  }
  void cleanup() { place_.reset(); }

  /// Every control of every pane, hidden, switched off and deleted.
  void it_stays_in_its_pane() {
    QStringList wrong;
    int panes = 0, controls = 0;
    for (PaneRow const* row : pane_table()) {
      QWidget* pane = bring_up(row->name);
      if (!pane) continue;
      ++panes;
      for (QWidget* control : tab_stops(pane)) {
        if (control == pane) continue;
        ++controls;
        for (char const* how : {"hide", "disable"}) {
          control->setFocus(Qt::TabFocusReason);
          bool hide = std::string(how) == "hide";
          hide ? control->hide() : control->setEnabled(false);
          QCoreApplication::processEvents();
          if (!is_in(pane))
            wrong << QString("%1: %2 %3 -> %4").arg(row->title, how, name_of(control), focused());
          hide ? control->show() : control->setEnabled(true);
        }
      }
      auto* gone = new QPushButton(pane);
      gone->show();
      gone->setFocus();
      delete gone;
      QCoreApplication::processEvents();
      if (!is_in(pane)) wrong << row->title + ": deleted -> " + focused();
    }
    qInfo("%d panes, %d controls", panes, controls);
    QVERIFY2(panes >= 14 && controls >= 20, "too few panes were brought up");
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
  }

  /// What is hidden while a dialog is in front loses the focus only when the window has it again.
  void it_stays_where_a_dialog_was_in_front() {
    QWidget* pane = bring_up("loops");
    auto* button = new QPushButton(pane);
    button->show();
    button->setFocus();
    window().show_palette();
    QTRY_VERIFY(QApplication::activeWindow() != &window());
    button->hide();
    for (QDialog* dialog : window().findChildren<QDialog*>()) dialog->close();
    window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window()));
    QVERIFY2(is_in(pane), qPrintable(focused()));
    delete button;
  }

  void a_pane_that_gives_way_leaves_it_to_the_one_in_front() {
    for (char const* name : {"graph", "memory", "script", "suggestions", "records"}) {
      QWidget* pane = bring_up(name);
      QVERIFY2(pane, name);
      QList<QWidget*> stops = tab_stops(pane);
      QVERIFY2(!stops.isEmpty(), name);
      stops.back()->setFocus();
      QVERIFY(window().show_view("loops"));
      QVERIFY(window().show_view("history"));
      QVERIFY(window().show_view("kernels"));
      QCoreApplication::processEvents();
      QWidget* has = window().focusWidget();
      QVERIFY2(has && has->isVisible() && has->objectName() != "home", qPrintable(focused()));
    }
  }

  void a_view_that_is_asked_for_by_its_key_gets_the_keys() {
    struct Asked {
      Qt::KeyboardModifiers with;
      Qt::Key key;
      char const* view;
    };
    Qt::KeyboardModifiers const both = Qt::ControlModifier | Qt::ShiftModifier;
    for (Asked const& asked :
         {Asked{Qt::ControlModifier, Qt::Key_2, "graph"},
          Asked{Qt::ControlModifier, Qt::Key_1, "loops"}, Asked{both, Qt::Key_L, "script"},
          Asked{both, Qt::Key_N, "suggestions"}, Asked{both, Qt::Key_H, "records"}}) {
      // Whatever had them: another view of the centre, one below, one at the left.
      for (char const* had : {"memory", "history", "kernels"}) {
        QWidget* pane = bring_up(had);
        QVERIFY2(pane, had);
        QList<QWidget*> stops = tab_stops(pane);
        QVERIFY2(!stops.isEmpty(), had);
        stops.back()->setFocus();
        QTest::keyClick(&window(), asked.key, asked.with);
        place_->settle();
        QVERIFY2(is_in(window().pane_widget(asked.view)),
                 qPrintable(QString("%1 after %2: %3").arg(asked.view, had, focused())));
      }
    }
    QVERIFY(!window().findChild<QPushButton*>("home")->hasFocus());
  }

  void a_key_after_an_answer_stays_in_the_lesson() {
    std::string file = place_->folder.filePath("order.lesson").toStdString();
    std::ofstream(file) << kLesson;
    Status opened = window().perform(journal::OpenLesson{file});
    QVERIFY2(opened, opened ? "" : to_sentence(opened.error()).c_str());
    place_->settle();
    QTRY_VERIFY(place_->session->snapshot().nest);
    place_->settle();
    QWidget* lesson = window().pane_widget("lesson");
    std::string state = std::get<std::string>(*window().fact("state"));
    for (QPushButton* choice : lesson->findChildren<QPushButton*>("lessonChoice"))
      if (choice->text().toStdString() != state) {
        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Space);
        break;
      }
    place_->settle();
    QCOMPARE(window().focusWidget()->objectName(), QString("lessonChoice"));
    for (QPushButton* choice : lesson->findChildren<QPushButton*>("lessonChoice"))
      if (choice->text().toStdString() == state) {
        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Space);
        break;
      }
    place_->settle();
    QCOMPARE(window().focusWidget()->objectName(), QString("lessonAnswer"));
    auto* input = qobject_cast<QLineEdit*>(window().focusWidget());
    QTest::keyClicks(input, "3");
    QTest::keyClick(input, Qt::Key_Return);
    place_->settle();
    QCOMPARE(window().focusWidget()->objectName(), QString("lessonNext"));
    QVERIFY(place_->session->snapshot().model);
  }

  void a_lesson_shows_what_it_speaks_of() {
    for (char const* view : {"graph", "script", "suggestions"}) QVERIFY(window().show_view(view));
    std::string file = place_->folder.filePath("order.lesson").toStdString();
    std::ofstream(file) << kLesson;
    Status opened = window().perform(journal::OpenLesson{file});
    QVERIFY2(opened, opened ? "" : to_sentence(opened.error()).c_str());
    place_->settle();
    QTRY_VERIFY(place_->session->snapshot().nest);
    for (char const* name : {"loops", "code", "roofline", "history", "lesson"})
      QVERIFY2(window().pane_widget(name)->isVisible(), name);
  }

private:
  MainWindow& window() { return *place_->window; }
  /// Null: it is there only when something asks for it.
  QWidget* bring_up(std::string const& name) {
    QWidget* pane = window().pane_widget(name);
    (void)window().show_view(name);
    place_->settle();
    return pane && pane->isVisible() ? pane : nullptr;
  }
  bool is_in(QWidget* pane) {
    QWidget* has = window().focusWidget();
    return has && has->isVisible() && has->isEnabled() && (has == pane || pane->isAncestorOf(has));
  }
  static QString name_of(QWidget const* widget) {
    return QString(widget->metaObject()->className()) + " " + widget->objectName();
  }
  QString focused() {
    QWidget* has = window().focusWidget();
    return has ? name_of(has) : QString("nothing");
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(FocusTest)
#include "focus_test.moc"
