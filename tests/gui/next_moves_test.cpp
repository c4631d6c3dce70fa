// The list of next moves: best first, taken by a click or by Enter, for all or for one loop.
#include <QtTest>

#include <QCheckBox>
#include <sstream>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/moves/move_list.h"

using namespace tw;
using namespace tw::session;

class NextMovesTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(true);  // the model needs the machine's roofs
    place_->open_matmul();
    window().show();
    QVERIFY(window().perform(journal::ShowView{"next"}));
    list_ = window().findChild<MoveList*>("nextMoves");
    QVERIFY(list_);
    settle();
  }
  void cleanup() { place_.reset(); }

  void the_best_move_stands_first_and_a_click_takes_it() {
    QVERIFY(list_->shown() && list_->shown()->moves.size() > 3);
    double before = list_->shown()->ms;
    MoveView best = list_->shown()->moves.front();
    QVERIFY(best.gain > 2);
    QCOMPARE(list_->parts().size(), list_->shown()->moves.size());
    QVERIFY(list_->parts().front().selected);
    QVERIFY(list_->parts().front().name.startsWith(QString::fromStdString(best.effect)));
    click(0);
    QCOMPARE(script_lines(), int(best.line.size() - remove_semicolons(best.line).size()) + 1);
    QVERIFY(list_->shown()->ms < before / 2);
    QVERIFY(std::abs(list_->shown()->ms / best.ms - 1) < 0.01);
  }

  void arrows_and_enter_do_the_same() {
    QTest::keyClick(list_, Qt::Key_Down);
    QTest::keyClick(list_, Qt::Key_Down);
    QCOMPARE(list_->current(), 2);
    QTest::keyClick(list_, Qt::Key_Up);
    std::string line = list_->shown()->moves[1].line;
    QTest::keyClick(list_, Qt::Key_Return);
    settle();
    QVERIFY(place_->session->script().find(line.substr(0, line.find(';'))) != std::string::npos);
  }

  void a_loop_has_moves_of_its_own() {
    size_t all = list_->shown()->moves.size();
    QVERIFY(window().perform(journal::SelectLoop{"C.k"}));
    auto* only = window().findChild<QCheckBox*>("nextOfSelection");
    only->click();
    settle();
    QVERIFY(list_->shown() && !list_->shown()->moves.empty());
    for (MoveView const& move : list_->shown()->moves)
      QVERIFY2(move.line.find("C.k") != std::string::npos, move.line.c_str());
    only->click();
    settle();
    QCOMPARE(list_->shown()->moves.size(), all);
  }

  void the_journal_replays_what_was_taken() {
    click(0);
    std::string script = place_->session->script();
    std::string recorded = place_->recorded();
    QVERIFY2(recorded.find("vectorize") != std::string::npos, recorded.c_str());
    QVERIFY(!script.empty());
  }

  void nothing_is_cut_in_any_theme() {
    QStringList wrong;
    for (char const* theme : {"dark", "light", "high-contrast"}) {
      QVERIFY(window().perform(journal::SetTheme{theme}));
      settle();
      keep_picture(window(), QString("next_") + theme);
      check_words(*list_, wrong);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
  }

private:
  MainWindow& window() { return *place_->window; }
  /// The list asks again whenever something is there.
  void settle() {
    place_->settle();
    QTRY_VERIFY(list_->shown());
    place_->settle();
  }
  void click(int row) {
    QTest::mouseClick(list_, Qt::LeftButton, {}, list_->pixels(list_->row_rect(row).center()));
    settle();
  }
  int script_lines() {
    int steps = 0;
    std::istringstream text(place_->session->script());
    for (std::string line; std::getline(text, line);) steps += line.find('(') != std::string::npos;
    return steps;
  }
  static std::string remove_semicolons(std::string line) {
    std::erase(line, ';');
    return line;
  }

  std::unique_ptr<Workplace> place_;
  MoveList* list_ = nullptr;
};

QTEST_MAIN(NextMovesTest)
#include "next_moves_test.moc"
