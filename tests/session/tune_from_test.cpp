// Tuning from a state that a person made: its structure stays, and what is kept stays, too.
#include <QtTest>

#include <regex>

#include "engine/session/use_cases.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Two tiles and a vector: numbers that a search can choose.
constexpr char kSteps[] =
    "C.i.0, C.i.1 = split(C.i, factor=8)\n"
    "C.j.0, C.j.1 = split(C.j, factor=16)\n"
    "reorder(C.i.0, C.j.0, C.k, C.i.1, C.j.1)\n"
    "vectorize(C.j.1)\n";

std::string code(Status const& status) { return status ? "" : status.error().code; }

/// A script with its numbers taken out: its structure.
std::string structure(std::string const& script) {
  return std::regex_replace(script, std::regex("factor=[0-9]+"), "factor=?");
}

}  // namespace

class TuneFromTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    session_ = testing::make_session(false);
    file_.open(*session_);
    QVERIFY(session_->execute(ApplyScript{kSteps}));
    QVERIFY(!session_->snapshot().refusal);
    here_ = session_->snapshot().history->current;
    QVERIFY(here_ > 0);
  }
  void cleanup() { session_.reset(); }

  void the_space_of_a_step_is_its_numbers_and_what_is_kept_makes_it_smaller() {
    TuningSpace space = space_of(here_);
    QVERIFY2(space.error.empty(), space.error.c_str());
    QCOMPARE(space.of, std::string("vectorize"));
    QCOMPARE(space.knobs.size(), size_t(2));
    QCOMPARE(space.knobs[0].name, std::string("C.i.factor"));
    QCOMPARE(space.knobs[0].value, std::string("8"));
    QCOMPARE(space.knobs[1].value, std::string("16"));
    double all = space.size({});
    QCOMPARE(all, double(space.knobs[0].values) * space.knobs[1].values);
    QCOMPARE(space.size({"C.i.factor"}), double(space.knobs[1].values));
    QCOMPARE(space.size({"C.i.factor", "C.j.factor"}), 1.0);
    // Of the template: other knobs.
    TuningSpace rule = space_of(0);
    QVERIFY(rule.error.empty() && rule.of.empty() && !rule.knobs.empty());
    QVERIFY(rule.size({}) > 1);
  }

  /// As views do that look at other steps.
  void who_asks_in_turns_for_two_spaces_gets_both() {
    std::shared_ptr<TuningSpace const> rule, step;
    QTRY_VERIFY_WITH_TIMEOUT(
        (rule = session_->tuning_space(0), step = session_->tuning_space(here_), rule && step),
        20'000);
    QVERIFY(rule->from == 0 && step->from == here_);
  }

  void what_has_no_number_says_so() {
    QVERIFY(session_->execute(JumpTo{0}));
    QVERIFY(session_->execute(ApplyStep{"parallel(C.i)"}));
    int node = session_->snapshot().history->current;
    QVERIFY(space_of(node).error.find("split a loop first") != std::string::npos);
    QCOMPARE(code(session_->execute(Tune{.trials = 2, .from = node})), std::string("nothing_open"));
    QCOMPARE(code(session_->execute(Tune{.trials = 2, .from = 99})), std::string("unknown_node"));
  }

  void the_structure_stays_and_the_kept_number_too() {
    QVERIFY(session_->execute(
        Tune{.trials = 8, .search = "random", .seed = 5, .from = here_, .keep = "C.j.factor"}));
    QVERIFY(session_->wait_idle(120));
    TuningRun const run = *session_->snapshot().tuning->run();
    QVERIFY2(run.error.empty(), run.error.c_str());
    QCOMPARE(run.from, here_);
    QCOMPARE(run.kept, std::vector<std::string>{"C.j.factor"});
    QVERIFY(run.trials.size() > 2);
    QVERIFY(run.from_ms() > 0);  // the person's own is one of them
    std::string const own = structure(session_->script_of(here_));
    std::set<std::string> seen;
    for (auto const& trial : run.trials) {
      QCOMPARE(structure(trial->script), own);
      QVERIFY2(trial->script.find("factor=16") != std::string::npos, trial->script.c_str());
      for (auto const& [knob, value] : trial->knobs) QCOMPARE(knob, std::string("C.i.factor"));
      seen.insert(trial->script);
    }
    QCOMPARE(seen.size(), run.trials.size());
    if (run.best > 0) QVERIFY(!run.trial(run.best)->knobs.empty());
  }

  void a_knob_that_is_not_there_cannot_be_kept() {
    QVERIFY(session_->execute(Tune{.trials = 2, .from = here_, .keep = "nothing"}));
    QVERIFY(session_->wait_idle(60));
    QCOMPARE(session_->snapshot().tuning->run()->error,
             std::string("there is no knob 'nothing' to keep"));
  }

  void the_device_says_what_it_does() {
    QVERIFY(session_->execute(Tune{.trials = 100'000, .search = "random", .from = here_}));
    std::set<DeviceDoes> seen;
    QTRY_VERIFY_WITH_TIMEOUT(
        (seen.insert(device().does), seen.contains(DeviceDoes::kMeasuring) && device().trials > 2),
        60'000);
    QVERIFY(session_->execute(StopTuning{}));
    QVERIFY(session_->wait_idle(60));
    QCOMPARE(device().name, std::string("local"));
    QCOMPARE(device().does, DeviceDoes::kIdle);
    QCOMPARE(size_t(device().trials), session_->snapshot().tuning->run()->trials.size());
    QVERIFY(device().trials_a_second > 0);
  }

private:
  TuningDevice device() const {
    auto view = session_->snapshot().tuning;
    return view && view->run() && !view->run()->devices.empty() ? view->run()->devices[0]
                                                                : TuningDevice();
  }
  TuningSpace space_of(int from) const {
    for (int i = 0; i < 1000; ++i) {
      if (auto space = session_->tuning_space(from)) return *space;
      QTest::qWait(20);
    }
    return {};
  }
  testing::MatmulFile file_;
  std::unique_ptr<Session> session_;
  int here_ = 0;
};

QTEST_GUILESS_MAIN(TuneFromTest)
#include "tune_from_test.moc"
