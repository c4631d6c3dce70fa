#include <QtTest>

#include <mutex>

#include "engine/session/model/progress_ticker.h"

using namespace tw;
using namespace tw::session;

class ElapsingTest : public QObject {
  Q_OBJECT
private slots:
  void each_second_is_told_and_none_after_the_end() {
    std::mutex mutex;
    std::vector<ProgressReport> told;
    Progress progress = [&](ProgressReport const& report) {
      std::lock_guard lock(mutex);
      told.push_back(report);
    };
    auto twice = [&] {
      std::lock_guard lock(mutex);
      return told.size() >= 2;
    };
    {
      ProgressTicker elapsing(progress, "conv runs", 1);
      QTRY_VERIFY_WITH_TIMEOUT(twice(), 20'000);
    }
    size_t count = told.size();
    QCOMPARE(told[0].what, std::string("conv runs, in seconds"));
    QCOMPARE(told[0].done, 1);
    QCOMPARE(told[0].total, 1);
    QCOMPARE(told[1].what, std::string("conv runs: 2 s so far"));  // longer than was thought
    QCOMPARE(told[1].total, 0);
    QTest::qWait(1200);
    QCOMPARE(told.size(), count);
  }

  void a_short_wait_is_silent_and_ends_at_once() {
    int told = 0;
    QElapsedTimer timer;
    timer.start();
    {
      ProgressTicker elapsing([&](ProgressReport const&) { ++told; }, "add runs", 60);
    }
    QVERIFY(timer.elapsed() < 30'000);  // and not the minute that it was told
    QCOMPARE(told, 0);
    ProgressTicker nobody(Progress(), "add runs", 60);  // nobody listens
  }
};

QTEST_GUILESS_MAIN(ElapsingTest)
#include "elapsing_test.moc"
