// What may be chosen of the learned search, and a search under each choice.
#include "engine/tuner/search/learning.h"

#include <QtTest>

using namespace tw;

class LearningTest : public QObject {
  Q_OBJECT
private slots:
  void nothing_said_is_as_usual() {
    QCOMPARE(learning_of({}, ModelKind::kTrees).value(), Learning{});
    QVERIFY(settings_of(Learning{}).empty());
  }

  void what_is_said_comes_back() {
    std::vector<std::string> said{"acquisition=ucb", "deviations=2.5", "lambda=8", "epsilon=0.25"};
    Learning learning = learning_of(said, ModelKind::kTrees).value();
    QCOMPARE(learning.acquisition, Acquisition::kUpperConfidence);
    QCOMPARE(learning.deviations, 2.5);
    QCOMPARE(learning.choice, size_t(8));
    QCOMPARE(learning.by_chance, 0.25);
    QCOMPARE(settings_of(learning), said);
    learning = learning_of({"objective=rank"}, ModelKind::kTreeGru).value();
    QCOMPARE(learning.objective, Objective::kPairwiseRank);
    QCOMPARE(learning_of(settings_of(learning), ModelKind::kTreeGru).value(), learning);
  }

  void what_is_no_setting_is_refused_data() {
    QTest::addColumn<QString>("said");
    for (char const* said :
         {"objective", "objective=", "objective=order", "depth=3", "lambda=0", "lambda=x",
          "lambda=4x", "epsilon=2", "epsilon=-0.1", "epsilon=nan", "deviations=1e9", "=3", ""})
      QTest::newRow(said) << said;
  }
  void what_is_no_setting_is_refused() {
    QFETCH(QString, said);
    auto taken = learning_of({said.toStdString()}, ModelKind::kTrees);
    QVERIFY(!taken);
    QCOMPARE(taken.error().code, std::string("bad_learning"));
    QVERIFY(taken.error().message.find("rank or regression") != std::string::npos);
  }

  void what_does_not_go_together_is_refused() {
    QVERIFY(!learning_of({"objective=rank", "acquisition=ei"}, ModelKind::kTrees));
    QVERIFY(!learning_of({"acquisition=ei"}, ModelKind::kTreeGru));
  }
};

QTEST_GUILESS_MAIN(LearningTest)
#include "learning_test.moc"
