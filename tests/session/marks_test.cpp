// Stars, names and baselines: what they change, that projects keep them, and that older projects
// have none. Kernels that nobody looks at are measured while nothing else runs.
#include <QtTest>

#include "engine/session/bookmarks.h"
#include "engine/session/project/project.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

class MarksTest : public QObject {
  Q_OBJECT
private slots:
  void marks_belong_to_states_and_change_nothing_else() {
    auto session = testing::make_session(false);
    QVERIFY(session->marks()->states.empty());
    QVERIFY(!session->execute(TagState{0}));  // there is no kernel
    file_.open(*session);
    QVERIFY(session->execute(ApplyStep{"parallel(C.i)"}));
    int leaf = session->snapshot().history->current;
    std::string script = session->script();
    QVERIFY(session->execute(TagState{leaf}));
    QVERIFY(session->execute(NameState{leaf, "wide"}));
    QVERIFY(session->execute(SetBaseline{0}));
    auto marks = session->marks();
    QCOMPARE(marks->states.size(), size_t(1));
    QVERIFY(marks->states.at(leaf).tagged);
    QCOMPARE(marks->states.at(leaf).name, std::string("wide"));
    QCOMPARE(marks->baseline, 0);
    QCOMPARE(session->script(), script);
    QCOMPARE(session->snapshot().history->current, leaf);
    for (Command const& wrong : {Command(TagState{77}), Command(NameState{77, "x"}),
                                 Command(SetBaseline{77}), Command(SetBaseline{-1})}) {
      Status status = session->execute(wrong);
      QVERIFY(!status && status.error().code == "unknown_node");
    }
    QVERIFY(session->execute(TagState{leaf, true}));
    QVERIFY(session->execute(NameState{leaf, ""}));
    QVERIFY(session->execute(ClearBaseline{}));
    QVERIFY(session->marks()->states.empty());
    QCOMPARE(session->marks()->baseline, -1);
  }

  void projects_keep_them_and_older_ones_have_none() {
    auto session = testing::make_session(false);
    file_.open(*session);
    QVERIFY(session->execute(ApplyStep{"parallel(C.i)"}));
    std::string before = session->save();
    for (char const* word : {"tagged", "\"name\": \"wide", "baseline"})
      QVERIFY(before.find(word) == std::string::npos);
    int leaf = session->snapshot().history->current;
    for (Command const& mark : {Command(TagState{leaf}), Command(NameState{leaf, "wide \"one\""}),
                                Command(SetBaseline{1})})
      QVERIFY(session->execute(mark));
    std::string after = session->save();
    auto again = testing::make_session(false);
    QVERIFY(again->restore(after));
    QVERIFY(again->wait_idle(60));
    auto marks = again->marks();
    QVERIFY(marks->states.at(leaf).tagged);
    QCOMPARE(marks->states.at(leaf).name, std::string("wide \"one\""));
    QCOMPARE(marks->baseline, 1);
    QCOMPARE(again->save(), after);
    QVERIFY(again->restore(before));
    QVERIFY(again->wait_idle(60));
    QVERIFY(again->marks()->states.empty());
    QCOMPARE(again->marks()->baseline, -1);
  }

  void a_baseline_that_is_no_state_is_none() {
    auto session = testing::make_session(false);
    file_.open(*session);
    QVERIFY(session->execute(SetBaseline{1}));
    std::string text = session->save();
    size_t at = text.find("\"baseline\": 1");
    QVERIFY(at != std::string::npos);
    for (char const* wrong : {"\"baseline\": 99", "\"baseline\": \"x\"", "\"baseline\": -7"}) {
      std::string damaged = text;
      damaged.replace(at, std::string("\"baseline\": 1").size(), wrong);
      auto again = testing::make_session(false);
      QVERIFY(again->restore(damaged));
      QVERIFY(again->wait_idle(60));
      QVERIFY(again->snapshot().history);
      QCOMPARE(again->marks()->baseline, -1);
    }
  }

  void a_kernel_stands_against_its_baseline() {
    auto session = testing::make_session(true);
    file_.open(*session);
    QVERIFY(session->wait_idle(120));
    QVERIFY(session->execute(SetBaseline{0}));
    QVERIFY(session->execute(ApplyStep{"parallel(C.i)"}));
    QVERIFY(session->wait_idle(120));
    auto marks = session->marks();
    QCOMPARE(marks->kernels.size(), size_t(1));
    KernelDifference const& one = marks->kernels[0];
    auto history = session->snapshot().history;
    QCOMPARE(*one.before_ms, *history->nodes[0].min_ms);
    QCOMPARE(*one.after_ms, *history->nodes[size_t(history->current)].min_ms);
    QCOMPARE(*one.speedup(), *one.before_ms / *one.after_ms);
    QCOMPARE(one.before, std::string("plain"));
    // On two devices: there is one.
    QVERIFY(session->kernels_on("local", "board").empty());
    QCOMPARE(session->kernels_on("local", "local").size(), size_t(1));
    QVERIFY(marks->baseline_point.has_value() == session->snapshot().machine->roofs_known);
  }

  void nothing_is_measured_unasked_where_nothing_is_measured() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(MeasureInBackground{}));
    QVERIFY(!session->measures_in_background());
  }

  /// The kernels that were not looked at get times, one job at a time; a step ends it at once.
  void other_kernels_are_measured_while_nothing_else_runs() {
    auto session = testing::make_session(true);
    QVERIFY(session->execute(OpenSample{"dqn"}));
    QVERIFY(session->wait_idle(120));
    auto missing = [&] {
      int count = 0;
      for (KernelRow const& row : session->snapshot().kernels->rows) count += !row.time_ms;
      return count;
    };
    int at_first = missing();
    QVERIFY(at_first >= 4);
    QTest::qWait(3000);
    QCOMPARE(missing(), at_first);  // it was not switched on
    QVERIFY(session->execute(MeasureInBackground{}));
    QVERIFY(session->measures_in_background());
    bool said = false, began_early = false;
    QElapsedTimer since;
    since.start();
    for (int i = 0; i < 2400 && missing() > 0; ++i) {
      auto job = session->snapshot().job;
      if (job && job->kind == "background") {
        said = said || job->what.find("in the background") != std::string::npos;
        began_early = began_early || since.elapsed() < 1500;
      }
      QTest::qWait(50);
    }
    QCOMPARE(missing(), 0);
    QVERIFY(said && !began_early);
    // What it found is what the histories know once the kernel is looked at.
    auto rows = session->snapshot().kernels->rows;
    QVERIFY(rows[1].fraction_of_roof || !session->snapshot().machine->roofs_known);
    QVERIFY(session->execute(SelectKernel{1}));
    QVERIFY(session->wait_idle(120));
    QVERIFY(session->snapshot().kernels->rows[1].time_ms);
    QVERIFY(session->execute(MeasureInBackground{true}));
    QVERIFY(!session->measures_in_background());
  }

  void who_acts_ends_it() {
    auto session = testing::make_session(true);
    QVERIFY(session->execute(OpenSample{"dqn"}));
    QVERIFY(session->wait_idle(120));
    QVERIFY(session->execute(MeasureInBackground{}));
    auto runs = [&] {
      auto job = session->snapshot().job;
      return job && job->kind == "background";
    };
    for (int i = 0; i < 400 && !runs(); ++i) QTest::qWait(25);
    QVERIFY(runs());
    QVERIFY(session->execute(CancelJob{}));  // it rests for a minute then
    for (int i = 0; i < 400 && runs(); ++i) QTest::qWait(25);
    QVERIFY(!runs());
    QTest::qWait(3500);
    QVERIFY(!runs());
  }

private:
  testing::MatmulFile file_;
};

QTEST_GUILESS_MAIN(MarksTest)
#include "marks_test.moc"
