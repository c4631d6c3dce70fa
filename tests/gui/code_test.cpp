// The code pane: stages one after the other, the hot loop with what it costs, Intel's syntax, what
// is hidden, wrapped lines, and what an instruction does.
#include <QtTest>

#include <QAccessible>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>

#include "app/window/code_panel.h"
#include "engine/session/code_report.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/code/loop_card.h"
#include "widgets/code/stage_list.h"
#include "widgets/code/wrapping.h"

using namespace tw;
using namespace tw::session;

namespace {

std::string const kVectors =
    "step j.0, j.1 = split(C.j, factor=16)\nstep reorder(C.i, C.j.0, C.k, C.j.1)\n"
    "step vectorize(C.j.1)\n";

}  // namespace

class CodeTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->open_matmul();
    panel_ = window().findChild<CodePanel*>("codePanel");
    QVERIFY(panel_);
  }
  void cleanup() { place_.reset(); }

  void stages_follow_each_other_by_keys() {
    QStringList keys;
    for (CodeStage const& stage : *place_->session->snapshot().code_stages)
      keys << QString::fromStdString(stage.key);
    QCOMPARE(place_->lines("stage expression\n"), std::string());
    for (QString const& key : keys) {
      QCOMPARE(panel_->stage(), key);
      press("Next stage");
    }
    QCOMPARE(panel_->stage(), keys.last());  // no farther
    press("Previous stage");
    QCOMPARE(panel_->stage(), keys[keys.size() - 2]);
    QVERIFY(place_->recorded().find("stage lower_blocks") != std::string::npos);
    QVERIFY(place_->lines("stage nowhere\n").find("there is no stage 'nowhere'") !=
            std::string::npos);
  }

  void passes_that_changed_nothing_say_so_in_words() {
    auto* list = window().findChild<StageList*>("passes");
    QVERIFY(list);
    auto said = [&](char const* key) {
      return list->itemData(list->findData(key), Qt::AccessibleTextRole).toString();
    };
    QTRY_COMPARE_WITH_TIMEOUT(said("bound_symbolic_loops"),
                              QString("bound_symbolic_loops, changed nothing"), 10000);
    QVERIFY2(said("lower_blocks").contains(" lines added, "), qPrintable(said("lower_blocks")));
    // Of another state they are others.
    QString before = said("vectorize_loops");
    QCOMPARE(place_->lines(kVectors), std::string());
    place_->settle();
    QTRY_VERIFY_WITH_TIMEOUT(said("vectorize_loops") != before, 10000);
  }

  void assembly_opens_at_its_hot_loop_with_what_each_line_costs() {
    open_assembly();
    auto report = report_of();
    QVERIFY(report->hot);
    CodeView& view = panel_->view();
    int top = view.top_line();
    QVERIFY2(top <= report->hot->first && report->hot->first < top + 30,
             qPrintable(QString("%1 of %2").arg(top).arg(report->hot->first)));
    auto* card = window().findChild<LoopCard*>("hotLoop");
    QVERIFY(card && card->isVisible());
    QString said = QAccessible::queryAccessibleInterface(card)->text(QAccessible::Description);
    if (report->loop.failure.empty()) {
      QVERIFY2(said.contains("modelled for") && said.contains("vector registers"),
               qPrintable(said));
      QCOMPARE(card->parts().size(), report->loop.ports.size());
      QVERIFY(card->parts().front().name.startsWith("port "));
    } else {
      QVERIFY(said.contains("is not modelled"));
    }
    view.verticalScrollBar()->setValue(0);
    press("Hot loop");
    QVERIFY(view.top_line() <= report->hot->first);
    QCOMPARE(place_->lines("expect view.code.stage = assembly\ncode model off\n"), std::string());
    QVERIFY(!card->isVisible());
    QCOMPARE(place_->lines("code model on\n"), std::string());
    QVERIFY(card->isVisible());
  }

  /// Beside the program and what passes make of it; assembly has its cycles.
  void loops_and_blocks_have_their_share_of_the_time() {
    place_ = std::make_unique<Workplace>(true);  // the model needs the machine's roofs
    place_->open_matmul();
    panel_ = window().findChild<CodePanel*>("codePanel");
    auto shares = [&] {
      auto fact = window().fact("view.code.shares");
      return fact ? std::get<double>(*fact) : 0.0;
    };
    QCOMPARE(place_->lines("stage program\n"), std::string());
    QTRY_VERIFY_WITH_TIMEOUT(shares() > 0, 10000);
    int loops = int(place_->session->snapshot().nest->bars.size());
    QVERIFY2(shares() > loops, qPrintable(QString::number(shares())));  // blocks, too
    QCOMPARE(place_->lines("stage lower_blocks\n"), std::string());
    QTRY_VERIFY_WITH_TIMEOUT(shares() > 0, 10000);
    QCOMPARE(place_->lines("code shares off\n"), std::string());
    QCOMPARE(shares(), 0.0);
    QVERIFY(!panel_->view().has_notes());
    QCOMPARE(place_->lines("code shares on\n"), std::string());
    QTRY_VERIFY_WITH_TIMEOUT(shares() > 0, 10000);
    QCOMPARE(place_->lines("stage assembly\n"), std::string());
    QCOMPARE(shares(), 0.0);
    QCOMPARE(place_->lines("stage program\n"), std::string());
    QTRY_VERIFY_WITH_TIMEOUT(shares() > 0, 10000);
  }

  void syntax_and_what_is_hidden_are_switched() {
    open_assembly();
    auto report = report_of();
    size_t all = report->text->lines.size();
    QCOMPARE(shown_lines(), all);
    press("Code: Directives");
    press("Code: Unreferenced labels");
    QVERIFY(shown_lines() < all);
    QVERIFY(!panel_->view().all_text().contains(".globl"));
    bool two_syntaxes = !report->instructions.begin()->second.intel.empty();
    press("Code: Intel syntax");
    QCOMPARE(!panel_->view().all_text().contains('%'), two_syntaxes);
    // The menu says what is on, and does the same.
    auto* menu = window().findChild<QPushButton*>("codeLook")->menu();
    emit menu->aboutToShow();
    QVERIFY(action(menu, "intel")->isChecked() && !action(menu, "directives")->isChecked());
    action(menu, "directives")->trigger();
    QVERIFY(panel_->view().all_text().contains(".globl"));
    QVERIFY(place_->recorded().find("code directives on") != std::string::npos);
  }

  void lines_are_wrapped_in_the_width_of_the_view() {
    QCOMPARE(row_starts(u"abc", 20), std::vector<int>{0});
    QCOMPARE(row_starts(u"0123456789 0123456789", 16), (std::vector<int>{0, 11}));
    QCOMPARE(row_starts(QString(40, 'x'), 20), (std::vector<int>{0, 20, 36}));
    QCOMPARE(place_->lines("stage llvm\n"), std::string());
    place_->settle();
    QScrollBar* across = panel_->view().horizontalScrollBar();
    QTRY_VERIFY(across->maximum() > 0);
    int down = panel_->view().verticalScrollBar()->maximum();
    QCOMPARE(place_->lines("code wrap on\n"), std::string());
    QCOMPARE(across->maximum(), 0);
    QVERIFY(panel_->view().verticalScrollBar()->maximum() > down);
    QCOMPARE(place_->lines("code wrap off\n"), std::string());
    QCOMPARE(panel_->view().verticalScrollBar()->maximum(), down);
  }

  void an_instruction_is_explained_to_the_keyboard_and_the_screen_reader() {
    open_assembly();
    auto report = report_of();
    CodeView& view = panel_->view();
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Home);
    while (view.current() < report->hot->first) QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(view.current(), report->hot->first);
    QString said = QAccessible::queryAccessibleInterface(&view)->text(QAccessible::Description);
    InstructionFacts const& facts = report->instructions.at(report->hot->first);
    QVERIFY2(said.contains(QString::fromStdString(explanation_of(facts))), qPrintable(said));
    QVERIFY(!said.startsWith(' '));
    // The arrows point at the line's loop, too, and Return selects it.
    CodeLine const& line = report->text->lines[size_t(report->hot->first)];
    if (!line.loops.empty()) {
      QTest::keyClick(&view, Qt::Key_Return);
      QCOMPARE(window().selection().loop(), line.loops.back());
    }
  }

  void the_difference_to_the_baseline_is_marked_at_every_stage_that_can_have_one() {
    QCOMPARE(place_->lines("name 0 the first\nbaseline 0\nstep reorder(C.k, C.j)\n"
                           "step i.0, i.1 = split(C.i, factor=8)\nstep parallel(C.i.0)\n"
                           "stage program\nexpect view.code.against = before\n"),
             std::string());
    press("Code: Difference to the baseline");
    QVERIFY2(title().startsWith("diff to baseline 'the first'  +"), qPrintable(title()));
    // The step before changed one line (a loop's kind), all steps together some more.
    QCOMPARE(place_->lines("expect view.code.against = baseline\nexpect view.code.changes > 3\n"),
             std::string());
    QVERIFY(count_changes(*panel_->view().text()).moved > 0);  // not removed and added
    for (char const* stage : {"lower_blocks", "llvm", "assembly"}) {
      QCOMPARE(place_->lines(std::string("stage ") + stage + "\n"), std::string());
      place_->settle();
      QTRY_VERIFY2_WITH_TIMEOUT(title().startsWith("diff to baseline"), stage, 20000);
      QVERIFY(count_changes(*panel_->view().text()).all() > 0);
    }
    QVERIFY(place_->recorded().find("code baseline on") != std::string::npos);
    // The expression is the kernel's, whatever its state.
    QCOMPARE(place_->lines("stage expression\nexpect view.code.against = nothing\n"),
             std::string());
    QVERIFY(!title().contains("baseline"));
  }

  void without_a_baseline_it_is_said_how_to_set_one() {
    QCOMPARE(place_->lines(kVectors + "stage program\ncode baseline on\n"), std::string());
    place_->settle();
    QVERIFY2(title().startsWith("no baseline: "), qPrintable(title()));
    QVERIFY(title_label()->toolTip().contains("Ctrl+Alt+B"));
    QCOMPARE(place_->lines("expect view.code.against = nothing\nexpect view.code.changes = 0\n"),
             std::string());
    int leaf = place_->session->snapshot().history->current;
    QCOMPARE(place_->lines("baseline " + std::to_string(leaf) + "\n"), std::string());
    place_->settle();
    QVERIFY2(title().startsWith("this is the baseline"), qPrintable(title()));
    QCOMPARE(place_->lines("clear baseline\ncode baseline off\n"), std::string());
    place_->settle();
    QCOMPARE(place_->lines("expect view.code.against = before\n"), std::string());
  }

  void assembly_is_compared_in_the_syntax_and_with_the_lines_that_are_shown() {
    open_assembly();
    QCOMPARE(place_->lines("baseline 0\ncode directives off\ncode intel on\ncode baseline on\n"),
             std::string());
    place_->settle();
    QTRY_VERIFY_WITH_TIMEOUT(title().startsWith("diff to baseline"), 20000);
    CodeText const* text = panel_->view().text();
    bool two_syntaxes = !report_of()->instructions.begin()->second.intel.empty();
    if (two_syntaxes)  // both sides come in the other syntax, when both are known in it
      QTRY_VERIFY_WITH_TIMEOUT(
          !std::ranges::any_of(
              (text = panel_->view().text())->lines,
              [](CodeLine const& line) { return line.text.find('%') != std::string::npos; }),
          20000);
    ChangeCount count = count_changes(*text);
    QVERIFY(count.added > 0 && count.removed > 0);
    QVERIFY(!panel_->view().all_text().contains(".globl"));
    // The costs still stand beside this state's lines, and none beside the other's.
    press("Hot loop");
    auto [top, bottom] = panel_->view().hot_span();
    QVERIFY(bottom > top);
  }

  void the_costs_stand_beside_the_loop_where_there_is_room() {
    open_assembly();
    auto* card = window().findChild<LoopCard*>("hotLoop");
    QVERIFY(!panel_->loop_is_beside());
    QRect code = on_panel(panel_->view());
    QVERIFY(on_panel(*card).top() >= code.bottom());
    if (!report_of()->loop.failure.empty()) QSKIP("this processor has no model");
    CodePanel wide(*place_->session, window().selection());
    wide.set_theme(window().theme());
    wide.resize(1000, 700);
    wide.refresh(place_->session->snapshot());
    QVERIFY(wide.show_stage("assembly"));
    wide.show();
    QTRY_VERIFY_WITH_TIMEOUT(wide.loop_is_beside() && wide.findChild<LoopCard*>()->isVisible(),
                             10000);
    auto* beside = wide.findChild<LoopCard*>();
    QApplication::processEvents();
    QVERIFY(beside->geometry().left() >= wide.view().geometry().right());
    QCOMPARE(beside->geometry().top(), wide.view().geometry().top());
    // Ports, and registers in use, which are a sentence below.
    size_t ports = report_of()->loop.ports.size();
    QCOMPARE(beside->parts().size(), ports + 1);
    QVERIFY2(beside->parts().front().name.endsWith("vector registers in use"),
             qPrintable(beside->parts().front().name));
    for (Part const& part : beside->parts())
      QVERIFY(QRectF(0, 0, beside->width(), beside->height()).contains(part.rect));
    QVERIFY2(wrong_words(wide).isEmpty(), qPrintable(wrong_words(wide)));
    keep_picture(wide, "code_beside");
    wide.resize(700, 700);
    QVERIFY(!wide.loop_is_beside());
    QCOMPARE(beside->parts().size(), ports);
    Theme larger = window().theme();
    larger.scale = 1.5;
    wide.set_theme(larger);
    wide.resize(1000, 900);  // 667 units
    QVERIFY(!wide.loop_is_beside());
    wide.resize(1400, 1000);
    QVERIFY(wide.loop_is_beside());
    QVERIFY2(wrong_words(wide).isEmpty(), qPrintable(wrong_words(wide)));
    keep_picture(wide, "code_beside_150");
  }

  void how_it_is_shown_is_kept_in_a_project() {
    QString file = place_->folder.filePath("kept.twproj");
    QCOMPARE(
        place_->lines("code intel on\ncode wrap on\nproject save " + file.toStdString() + "\n"),
        std::string());
    place_->settle();
    QTRY_VERIFY(QFile::exists(file));
    QCOMPARE(
        place_->lines("code intel off\ncode wrap off\nproject open " + file.toStdString() + "\n"),
        std::string());
    place_->settle();
    QTRY_VERIFY(panel_->look().assembly.intel && panel_->look().wrap);
  }

  void nothing_is_cut_in_any_theme() {
    open_assembly();
    QStringList wrong;
    for (char const* theme : {"dark", "light", "high-contrast"}) {
      QVERIFY(window().perform(journal::SetTheme{theme}));
      for (QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
        window().resize(size);
        place_->settle();
        keep_picture(window(), QString("code_%1_%2").arg(theme).arg(size.width()));
        wrong << wrong_words(*panel_).split('\n', Qt::SkipEmptyParts);
      }
    }
    QCOMPARE(place_->lines("scale text 150\nbaseline 0\ncode baseline on\n"), std::string());
    place_->settle();
    keep_picture(window(), "code_150");
    wrong << wrong_words(*panel_).split('\n', Qt::SkipEmptyParts);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
  }

private:
  MainWindow& window() { return *place_->window; }
  void press(QString const& command) {
    window().run_action(command);
    place_->settle();
  }
  void open_assembly() {
    QCOMPARE(place_->lines(kVectors + "stage assembly\n"), std::string());
    place_->settle();
    QTRY_VERIFY_WITH_TIMEOUT(report_of() && report_of()->complete, 20000);
    place_->settle();
    QTRY_VERIFY(panel_->view().text());
  }
  std::shared_ptr<AssemblyReport const> report_of() {
    return session::assembly_report(*place_->session);
  }
  QLabel* title_label() { return panel_->findChild<QLabel*>("codeTitle"); }
  QString title() { return title_label()->accessibleName(); }
  QRect on_panel(QWidget const& one) const {
    return QRect(one.mapTo(panel_, QPoint(0, 0)), one.size());
  }
  size_t shown_lines() const { return panel_->view().text()->lines.size(); }
  static QAction* action(QMenu* menu, QString const& name) {
    for (QAction* one : menu->actions())
      if (one->objectName() == name) return one;
    return nullptr;
  }

  std::unique_ptr<Workplace> place_;
  CodePanel* panel_ = nullptr;
};

QTEST_MAIN(CodeTest)
#include "code_test.moc"
