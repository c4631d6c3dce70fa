// Whether one block runs all its instances for the elements that another one makes: programs by
// hand, whose guards leave some out.
#include <QtTest>

#include "engine/ir/text.h"
#include "engine/schedule/legality/instances.h"

using namespace tw;

namespace {

ir::Program program(std::string const& start_guard, std::string const& sum_guard) {
  auto guarded = [](std::string const& guard) { return guard.empty() ? "" : " if " + guard; };
  std::string text =
      "tilewright program 1\n"
      "program rows(X: f32[4, 6]) -> (Y: f32[3])\n"
      "  for l in 3\n"
      "    alloc S: f32[4] @global\n"
      "    for i in 4\n"
      "      block S_init(vi: 4 = i)" +
      guarded(start_guard) +
      "\n"
      "        S[vi] = 0.0\n"
      "    for i_2 in 2\n"
      "      for k in 6\n"
      "        for i_3 in 2\n"
      "          block S(vi: 4 = i_2*2+i_3, reduce vk: 6 = k)" +
      guarded(sum_guard) +
      "\n"
      "            S[vi] = S[vi]+X[vi, vk]\n"
      "    block Y(vl: 3 = l)\n"
      "      Y[vl] = S[vl]\n";
  auto parsed = ir::parse_program(text);
  if (!parsed) qWarning("%s", to_sentence(parsed.error()).c_str());
  return parsed.value();
}

}  // namespace

class WholeElementsTest : public QObject {
  Q_OBJECT
private slots:
  void what_runs_with_what_data() {
    QTest::addColumn<QString>("start_guard");
    QTest::addColumn<QString>("sum_guard");
    QTest::addColumn<bool>("sum_with_start");  // wherever the start is, all terms are
    QTest::addColumn<bool>("start_with_sum");
    QTest::addColumn<bool>("sum_with_itself");
    QTest::newRow("all") << ""
                         << "" << true << true << true;
    QTest::newRow("a term is missing") << ""
                                       << "k < 5" << false << true << false;
    QTest::newRow("a guard that no linear rows say") << ""
                                                     << "l < 2 || k < 5" << false << false << false;
    QTest::newRow("elements are started only") << ""
                                               << "i_2*2+i_3 <= l" << false << true << true;
    QTest::newRow("elements of both") << "i <= l"
                                      << "i_2*2+i_3 <= l" << true << true << true;
    QTest::newRow("elements are not started") << "i <= l"
                                              << "" << true << false << true;
    QTest::newRow("in other iterations") << "l < 1"
                                         << "1 <= l" << false << false << true;
  }
  void what_runs_with_what() {
    QFETCH(QString, start_guard);
    QFETCH(QString, sum_guard);
    ir::Program rows = program(start_guard.toStdString(), sum_guard.toStdString());
    std::vector<ir::BlockSite> blocks = ir::blocks_of(rows.body);
    ir::BlockSite const &start = blocks.at(0), &sum = blocks.at(1);
    for (ProofBudget budget : {ProofBudget::kInteractive, ProofBudget::kWork}) {
      QTEST(runs_with(start, sum, 1, budget), "sum_with_start");
      QTEST(runs_with(sum, start, 1, budget), "start_with_sum");
      QTEST(runs_with(sum, sum, 1, budget), "sum_with_itself");
    }
  }
};

QTEST_GUILESS_MAIN(WholeElementsTest)
#include "whole_elements_test.moc"
