// Somebody who does not know the window uses it at random, without waiting for anything: it never
// falls, no result is ever wrong, and afterwards it works as before. What it cannot make: two
// windows, devices that vanish, files of its own.
#include <QtTest>

#include "tests/gui/random_user.h"

using namespace tw;
using namespace tw::session;

class RandomUseTest : public QObject {
  Q_OBJECT
private slots:
  void a_window_stands_whatever_is_done_to_it_data() {
    QTest::addColumn<unsigned>("seed");
    // TW_SEEDS=100..140 for a longer search.
    QStringList range = qEnvironmentVariable("TW_SEEDS", "1..4").split("..");
    for (unsigned seed = range.front().toUInt(); seed <= range.back().toUInt(); ++seed)
      QTest::addRow("seed %u", seed) << seed;
  }
  void a_window_stands_whatever_is_done_to_it() {
    QFETCH(unsigned, seed);
    QString log = QDir::temp().filePath(QString("tw_random_use_%1.txt").arg(seed));
    qInfo("seed %u; what is done is written to %s", seed, qPrintable(log));
    Workplace place(true);
    place.window->resize(1600, 1000);
    place.window->execute(OpenSample{"dqn"});
    testing::RandomUser user(place, seed, log);
    for (int i = 0; i < 400; ++i) {
      user.act();
      if (i % 20 == 0) check_results(*place.session);
    }
    leave_all(place);
    QVERIFY(settle(*place.window, *place.session, 120));
    check_results(*place.session);
    works_as_before(place);
    qInfo("%d steps, %d openings, %d pulls", user.steps(), user.opened(), user.pulled());
    QVERIFY(user.steps() > 10 && user.opened() > 4 && user.pulled() > 20);
    QFile::remove(log);
  }

private:
  static void leave_all(Workplace& place) {
    while (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    for (QDialog* dialog : place.window->findChildren<QDialog*>()) dialog->reject();
    place.window->execute(CancelJob{});
  }
  static void check_results(Session& session) {
    Snapshot now = session.snapshot();
    if (!now.history) return;
    for (HistoryNodeView const& node : now.history->nodes)
      QVERIFY2(node.verdict != Verdict::kWrong, node.step.c_str());
  }
  static void works_as_before(Workplace& place) {
    place.open_matmul();
    place.window->apply_line("vectorize(C.j)");
    QVERIFY(settle(*place.window, *place.session, 120));
    Snapshot now = place.session->snapshot();
    QVERIFY2(place.window->said().isEmpty(), qPrintable(place.window->said()));
    QVERIFY(now.history);
    QCOMPARE(now.history->nodes[size_t(now.history->current)].verdict, Verdict::kCorrect);
    place.window->grab();
  }
};

QTEST_MAIN(RandomUseTest)
#include "random_use_slow_test.moc"
