// Tuning in a session: it goes on while one edits, waits, ends, and a trial becomes steps.
#include <QtTest>

#include "engine/session/use_cases.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

class SessionTuneTest : public QObject {
  Q_OBJECT
private slots:
  void every_trial_is_shown_and_kept_and_the_best_becomes_steps() {
    QTemporaryDir data;
    std::string file = data.filePath("trials.sqlite").toStdString();
    auto session = open(file);
    QVERIFY(session->execute(Tune{.trials = 6, .search = "random", .seed = 3}));
    QVERIFY(session->wait_idle(120));
    TuningRun const run = last(*session);
    QVERIFY2(run.error.empty(), run.error.c_str());
    QCOMPARE(run.state, TuningState::kEnded);
    QCOMPARE(run.ended, std::string("all trials are done"));
    QCOMPARE(run.kernel, std::string("matmul"));
    QCOMPARE(run.trials.size(), size_t(6));
    QCOMPARE(run.failed(), 0);
    QVERIFY2(run.not_stored.empty(), run.not_stored.c_str());
    QVERIFY(run.best_ms && run.default_ms && *run.best_ms > 0 && *run.default_ms > 0);
    double least = 0;
    for (auto const& trial : run.trials) {
      QVERIFY(trial->ms > 0 && !trial->script.empty());
      least = least > 0 ? std::min(least, trial->ms) : trial->ms;
      QCOMPARE(trial->best_ms, least);
    }
    auto store = records::open_store(file);
    QVERIFY(store);
    QCOMPARE((*store)->count({}).value(), int64_t(6));

    int before = int(session->snapshot().history->nodes.size());
    QVERIFY(session->execute(OpenTrial{4}));
    Snapshot now = session->snapshot();
    QVERIFY(int(now.history->nodes.size()) > before);
    QCOMPARE(session->script(), run.trials[3]->script);
    QVERIFY(now.history->nodes[size_t(now.history->current)].note.starts_with(
        "trial 4 of the random search, "));
    QCOMPARE(now.kernels->rows[0].state, KernelState::kTuned);
    // Steps, one by one: the branch begins at the plain nest.
    int steps = 0;
    for (; session->snapshot().history->can_undo; ++steps) QVERIFY(session->execute(Undo{}));
    QCOMPARE(session->snapshot().history->current, 0);
    QVERIFY(steps > 1);
    // Opened once more it is no twin.
    size_t nodes = session->snapshot().history->nodes.size();
    QVERIFY(session->execute(OpenTrial{4, run.number}));
    QCOMPARE(session->snapshot().history->nodes.size(), nodes);
  }

  void a_trial_of_the_store_becomes_steps_of_its_kernel_or_says_why_not() {
    QTemporaryDir data;
    std::string file = data.filePath("trials.sqlite").toStdString();
    {
      auto session = open(file);
      QCOMPARE(session->trial_store(), file);
      QCOMPARE(code(session->execute(OpenStored{1})), std::string("no_store"));
      QVERIFY(session->execute(Tune{.trials = 3, .search = "random", .seed = 3}));
      QVERIFY(session->wait_idle(120));
    }
    auto store = records::open_store(file).value();
    std::vector<records::StoredTrial> found =
        store->find({.order = records::Order::kOldest}).value();
    QCOMPARE(found.size(), size_t(3));
    records::Trial elsewhere = found[0].trial, imported = found[0].trial, damaged = found[0].trial;
    elsewhere.task += 1;
    elsewhere.task_name = "conv9";
    imported.origin = records::Origin::kImported;
    damaged.trace = "nowhere.0, nowhere.1 = split(nowhere, factor=2)\n";
    QVERIFY(store->append(std::vector{elsewhere, imported, damaged}));

    auto session = open(file);  // which tuned nothing itself
    QVERIFY(session->execute(OpenStored{2}));
    Snapshot now = session->snapshot();
    QCOMPARE(session->script(), found[1].trial.trace);
    QVERIFY(now.history->nodes[size_t(now.history->current)].note.starts_with(
        "trial 2 of the store, "));
    QCOMPARE(now.kernels->rows[0].state, KernelState::kTuned);
    QVERIFY(now.history->can_undo);
    size_t nodes = now.history->nodes.size();
    QVERIFY(session->execute(OpenStored{2}));
    Status missing = session->execute(OpenStored{4});
    QCOMPARE(code(missing), std::string("unknown_kernel"));
    QCOMPARE(missing.error().message,
             std::string("trial 4 is of the kernel conv9, which the open model does not have"));
    QCOMPARE(code(session->execute(OpenStored{5})), std::string("foreign_trial"));
    QVERIFY(!session->execute(OpenStored{6}));
    QCOMPARE(code(session->execute(OpenStored{7})), std::string("no_trial"));
    QCOMPARE(code(session->execute(OpenStored{0})), std::string("no_trial"));
    QCOMPARE(session->snapshot().history->nodes.size(), nodes);
    QVERIFY(session->execute(CloseModel{}));
    QCOMPARE(code(session->execute(OpenStored{2})), std::string("no_model"));
  }

  void a_tuning_waits_goes_on_and_stops() {
    auto session = open();
    QVERIFY(session->execute(Tune{.trials = 100'000, .search = "random"}));
    QCOMPARE(code(session->execute(Tune{})), std::string("tuning_goes_on"));
    QTRY_VERIFY_WITH_TIMEOUT(last(*session).trials.size() >= 3, 60'000);
    QVERIFY(session->execute(PauseTuning{}));
    QVERIFY(session->wait_idle(60));  // a paused tuning is no work
    TuningRun const paused = last(*session);
    QCOMPARE(paused.state, TuningState::kPaused);
    QVERIFY(paused.trials_a_second > 0 && paused.seconds_left.value_or(0) > 0);
    QTest::qWait(300);
    QCOMPARE(last(*session).trials.size(), paused.trials.size());
    // One edits meanwhile.
    QVERIFY(session->execute(ApplyStep{"parallel(C.i)"}));
    QCOMPARE(session->snapshot().history->nodes.back().label, std::string("parallel"));
    QVERIFY(session->execute(ResumeTuning{}));
    QTRY_VERIFY_WITH_TIMEOUT(last(*session).trials.size() > paused.trials.size() + 1, 60'000);
    QVERIFY(session->execute(ApplyStep{"unroll(C.j)"}));
    QVERIFY(!session->snapshot().refusal);
    QVERIFY(session->execute(StopTuning{}));
    QVERIFY(session->wait_idle(60));
    TuningRun const ended = last(*session);
    QCOMPARE(ended.state, TuningState::kEnded);
    QCOMPARE(ended.ended, std::string("stopped"));
    QVERIFY2(ended.error.empty(), ended.error.c_str());
    QVERIFY(session->execute(PauseTuning{}));  // too late: nothing happens
    QVERIFY(session->wait_idle(10));
    QCOMPARE(last(*session).state, TuningState::kEnded);
  }

  void a_stopped_one_stops_while_it_is_paused_and_runs_stay_until_they_are_cleared() {
    auto session = open();
    QVERIFY(session->execute(Tune{.trials = 100'000, .search = "genetic"}));
    QVERIFY(session->execute(PauseTuning{}));
    QTRY_COMPARE_WITH_TIMEOUT(last(*session).state, TuningState::kPaused, 60'000);
    QVERIFY(session->execute(StopTuning{}));
    QVERIFY(session->wait_idle(60));
    QCOMPARE(last(*session).state, TuningState::kEnded);
    QVERIFY(session->execute(Tune{.trials = 2, .search = "random"}));
    QVERIFY(session->wait_idle(60));
    QCOMPARE(session->snapshot().tuning->runs.size(), size_t(2));
    QCOMPARE(last(*session).number, 2);
    QCOMPARE(session->snapshot().tuning->run(1)->search, std::string("genetic"));
    QVERIFY(session->execute(ClearTuning{}));
    QVERIFY(!session->snapshot().tuning);
  }

  void what_cannot_be_said_or_kept_is_said_in_a_sentence() {
    auto session = open("/proc/nowhere/trials.sqlite");
    QCOMPARE(code(session->execute(PauseTuning{})), std::string("no_tuning"));
    QCOMPARE(code(session->execute(OpenTrial{1})), std::string("no_tuning"));
    QCOMPARE(code(session->execute(Tune{.trials = 0})), std::string("bad_budget"));
    QCOMPARE(code(session->execute(Tune{.search = "by wish"})), std::string("unknown_search"));
    QVERIFY(session->execute(Tune{.trials = 2, .search = "random"}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(!last(*session).not_stored.empty());
    QVERIFY(last(*session).error.empty());
    QCOMPARE(last(*session).trials.size(), size_t(2));
    QCOMPARE(code(session->execute(OpenTrial{3})), std::string("no_trial"));
    QVERIFY(session->execute(CloseModel{}));
    QVERIFY(!session->snapshot().tuning);
    QCOMPARE(code(session->execute(Tune{})), std::string("no_kernel"));
  }

private:
  static std::string code(Status const& status) { return status ? "" : status.error().code; }
  static TuningRun last(Session& session) {
    auto view = session.snapshot().tuning;
    return view ? *view->run() : TuningRun();
  }
  std::unique_ptr<Session> open(std::string const& store = "") const {
    Options options = testing::session_options(false);
    options.trial_store = store;
    auto session = Session::create(std::move(options)).value();
    file_.open(*session);
    return session;
  }
  testing::MatmulFile file_;
};

QTEST_GUILESS_MAIN(SessionTuneTest)
#include "tune_test.moc"
