// The list of next moves: best first, taken by a click or by Enter, for all or for one loop.
#include <QtTest>

#include <QComboBox>
#include <fstream>
#include <sstream>

#include "app/window/panes/suggestions/journal.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/moves/move_list.h"
#include "widgets/stages/lane_row.h"

using namespace tw;
using namespace tw::session;

class NextMovesTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(true);  // the model needs the machine's roofs
    place_->open_matmul();
    window().show();
    QVERIFY(window().perform(journal::ShowView{"suggestions"}));
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
    auto* of = window().findChild<QComboBox*>("nextOf");
    choose(*of, "selection");
    QVERIFY(list_->shown() && !list_->shown()->moves.empty());
    for (MoveView const& move : list_->shown()->moves)
      QVERIFY2(move.line.find("C.k") != std::string::npos, move.line.c_str());
    choose(*of, "all");
    QCOMPARE(list_->shown()->moves.size(), all);
  }

  void a_block_and_a_tensor_have_moves_of_their_own() {
    auto* of = window().findChild<QComboBox*>("nextOf");
    QVERIFY(window().perform(journal::SelectLoop{"C.k"}));
    choose(*of, "block");
    QVERIFY(!list_->shown()->moves.empty());
    choose(*of, "A");
    QVERIFY(!list_->shown()->moves.empty());
    for (MoveView const& move : list_->shown()->moves) {
      QCOMPARE(move.tensor, std::string("A"));
      QVERIFY2(move.line.find("tensor=A") != std::string::npos, move.line.c_str());
    }
    keep_picture(window(), "next_of_a_tensor");
    // What a move makes can be asked about, too; what is there no more cannot.
    click(0);
    QVERIFY(of->findData("A_cache") > 0);
    QCOMPARE(of->currentData().toString(), QString("A"));
    choose(*of, "A_cache");
    window().execute(JumpTo{0});
    settle();
    QCOMPARE(of->currentData().toString(), QString("all"));
    QVERIFY(!window().perform(journal::NextOf{"A_cache"}));
  }

  /// Vectors along rows gather what one load could bring.
  void the_best_move_of_a_tensor_stands_at_it_in_its_memory() {
    std::string file = place_->folder.filePath("rows.te").toStdString();
    std::ofstream(file) << "tilewright te 1\n"
                           "kernel rows(A: f32[96, 128], B: f32[160, 128] @param) -> C\n"
                           "  C[i in 96, j in 160] = sum[k in 128] A[i, k] * B[j, k]\n";
    QCOMPARE(place_->lines("open \"" + file + "\"\nsize 1600 1000\n" +
                           "step i.0, i.1 = split(C.i, factor=8)\n"
                           "step j.0, j.1 = split(C.j, factor=16)\n"
                           "step reorder(C.i.0, C.j.0, C.k, C.i.1, C.j.1)\n"
                           "step vectorize(C.j.1)\nstep unroll(C.i.1)\nstep parallel(C.i.0)\n"),
             std::string());
    settle();
    auto* lanes = window().findChild<LaneRow*>("memoryLanes");
    QTRY_VERIFY(mark_of(*lanes, "next: B packed as C uses it"));
    Part mark = *mark_of(*lanes, "next: B packed as C uses it");
    QTest::mouseMove(lanes, lanes->pixels(mark.rect.center()));
    QTRY_COMPARE(place_->lines("expect preview contains pack\n"), std::string());
    keep_picture(window(), "next_at_a_tensor");
    QTest::mouseClick(lanes, Qt::LeftButton, {}, lanes->pixels(mark.rect.center()));
    settle();
    QVERIFY(place_->session->script().find("pack(C, layout=AB16a, tensor=B)") != std::string::npos);
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
  static std::optional<Part> mark_of(LaneRow const& lanes, QString const& name) {
    for (Part const& part : lanes.parts())
      if (part.name.startsWith(name)) return part;
    return {};
  }
  void choose(QComboBox& of, QString const& what) {
    int row = of.findData(what);
    QVERIFY2(row >= 0, qPrintable(what));
    of.setCurrentIndex(row);
    emit of.activated(row);
    settle();
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
