// The session's state is a value: who reads it is not held up, and who edits it does so alone.
#include <QtTest>

#include <fmt/format.h>
#include <atomic>
#include <chrono>
#include <thread>

#include "engine/session/parts/parts.h"
#include "engine/session/state/state_cell.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

Step split(std::string const& loop, int factor) {
  return parse_steps(fmt::format("{0}.o, {0}.i = split(C.{0}, factor={1})", loop, factor))
      .value()
      .front();
}

History with_many_states(History history, int first, int second) {
  for (int i = 0; i < first; ++i) {
    history = history.add(0, history.node(0).schedule.apply(split("i", 2 + i)).value()).value();
    int parent = history.current();
    for (int j = 0; j < second; ++j) {
      auto next = history.node(parent).schedule.apply(split("j", 2 + j)).value();
      history = history.add(parent, std::move(next)).value();
    }
  }
  return history;
}

}  // namespace

class StateCellTest : public QObject {
  Q_OBJECT
private slots:
  void an_edit_that_declines_or_fails_changes_nothing() {
    StateCell cell{State{}};
    cell.commit([](State& now) { now.kernel = 3; });
    StateCell::Pointer before = cell.read();
    QCOMPARE(before->kernel, 3);
    QVERIFY(!cell.commit([](State& now) { return now.kernel = 4, false; }));
    Status failed = cell.commit([](State& now) -> Status {
      now.kernel = 5;
      return bad_input("no", "not that");
    });
    QVERIFY(!failed);
    QVERIFY(cell.read() == before);
    QVERIFY(cell.commit([](State& now) { return now.kernel = 6, true; }));
    QCOMPARE(cell.read()->kernel, 6);
    QCOMPARE(cell.read()->version, before->version + 1);
    QCOMPARE(before->kernel, 3);  // who looked at it still does
  }

  void a_reader_does_not_wait_for_an_edit() {
    StateCell cell{State{}};
    std::atomic<bool> begun = false, goes_on = true;
    std::thread editor([&] {
      cell.commit([&](State& now) {
        now.kernel = 1;
        begun = true;
        while (goes_on) std::this_thread::yield();
      });
    });
    while (!begun) std::this_thread::yield();
    QCOMPARE(cell.read()->kernel, -1);  // this would hang
    goes_on = false;
    editor.join();
    QCOMPARE(cell.read()->kernel, 1);
  }

  void edits_of_many_threads_are_all_there() {
    StateCell cell{State{}};
    std::vector<std::thread> editors;
    for (int i = 0; i < 4; ++i)
      editors.emplace_back([&cell] {
        for (int edit = 0; edit < 500; ++edit) cell.commit([](State& now) { ++now.measuring; });
      });
    for (std::thread& editor : editors) editor.join();
    QCOMPARE(cell.read()->measuring, 1999);  // it begins at -1
    QCOMPARE(cell.read()->version, uint64_t(2000));
  }

  /// Histories share their nodes: to copy all of them costs less than to prove one step.
  void a_state_with_long_histories_is_copied_in_less_than_a_step() {
    auto session = tw::testing::make_session(false);
    file_.open(*session);
    StateCell& cell = session->parts().cell;
    auto begin = Clock::now();
    History history = with_many_states(cell.read()->now().history, 90, 10);
    double step_us = since(begin) / 990;
    for (int i = 0; i < 40; ++i)  // as many kernels as a network has
      cell.commit([&](State& now) {
        now.kernels.emplace(100 + i, now.now());
        now.kernels.at(100 + i).history = history;
      });
    begin = Clock::now();
    for (int i = 0; i < 100; ++i) cell.commit([&](State& now) { now.measuring = i; });
    double edit_us = since(begin) / 100;
    qInfo("40 histories of %zu states: an edit takes %.0f us, a step %.0f us", history.size(),
          edit_us, step_us);
    QCOMPARE(history.size(), size_t(992));  // the plain nest and the schedule by rule, too
    QVERIFY(edit_us < step_us);
  }

private:
  tw::testing::MatmulFile file_;
};

QTEST_GUILESS_MAIN(StateCellTest)
#include "state_cell_test.moc"
