// What carries the gain: each step of a schedule left out, each choice of a trial set back.
#include <QtTest>

#include "engine/session/use_cases.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kSteps[] =
    "C.j.0, C.j.1 = split(C.j, factor=16)\n"
    "reorder(C.j.0, C.k, C.j.1)\n"
    "vectorize(C.j.1)\n";

std::string code(Status const& status) { return status ? "" : status.error().code; }

}  // namespace

class GainTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    session_ = testing::make_session(false);
    file_.open(*session_);
  }
  void cleanup() { session_.reset(); }

  void each_step_is_left_out_with_those_that_need_it() {
    QVERIFY(session_->execute(ApplyScript{kSteps}));
    int here = session_->snapshot().history->current;
    QVERIFY(session_->execute(AblateStep{here}));
    QVERIFY(session_->wait_idle(120));
    AblationView const view = gain();
    QVERIFY2(view.error.empty(), view.error.c_str());
    QVERIFY(!view.goes_on && !view.of_choices);
    QCOMPARE(view.title, "step " + std::to_string(here) + ", vectorize");
    QCOMPARE(view.parts.size(), size_t(3));
    QVERIFY(view.ms && *view.ms > 0 && view.default_ms && *view.default_ms > 0);
    double shares = 0, before = 1e9;
    for (AblatedPart const& part : view.parts) {
      QVERIFY2(part.loss, part.name.c_str());
      QVERIFY(*part.loss <= before);  // the largest first
      before = *part.loss;
      shares += part.share;
      if (part.name.find("split") != std::string::npos)
        QCOMPARE(part.detail, std::string("with 2 steps that need it"));
      if (part.name.find("vectorize") != std::string::npos) QVERIFY(part.detail.empty());
    }
    QVERIFY(std::abs(shares - 1) < 1e-9);
    // Sixteen lanes, or none: that is no noise.
    QVERIFY(*view.parts[0].loss > 0.5);
  }

  void the_choices_of_a_trial_go_back_to_the_rule() {
    QVERIFY(session_->execute(Tune{.trials = 8, .search = "random", .seed = 3}));
    QVERIFY(session_->wait_idle(120));
    TuningRun const run = *session_->snapshot().tuning->run();
    TuningTrial const* chosen = nullptr;
    for (auto const& trial : run.trials)
      if (trial->ms > 0 && trial->knobs.size() >= 2) chosen = trial.get();
    QVERIFY(chosen);
    QVERIFY(session_->execute(AblateTrial{chosen->number}));
    QVERIFY(session_->wait_idle(120));
    AblationView const view = gain();
    QVERIFY2(view.error.empty(), view.error.c_str());
    QVERIFY(view.of_choices);
    QCOMPARE(view.parts.size(), chosen->knobs.size());
    for (AblatedPart const& part : view.parts) QVERIFY(part.loss || !part.sentence.empty());
    // Opened as steps, it is the same point of the template still.
    QVERIFY(session_->execute(OpenTrial{chosen->number}));
    QVERIFY(session_->execute(AblateStep{session_->snapshot().history->current}));
    QVERIFY(session_->wait_idle(120));
    QVERIFY(gain().of_choices);
    QCOMPARE(gain().parts.size(), chosen->knobs.size());
  }

  void it_is_cancelled_and_what_has_no_parts_says_so() {
    QCOMPARE(code(session_->execute(AblateStep{0})), std::string("nothing_to_leave_out"));
    QCOMPARE(code(session_->execute(AblateStep{50})), std::string("unknown_node"));
    QCOMPARE(code(session_->execute(AblateTrial{1})), std::string("no_tuning"));
    QVERIFY(session_->execute(ApplyScript{kSteps}));
    QVERIFY(session_->execute(AblateStep{session_->snapshot().history->current}));
    QVERIFY(session_->execute(CancelJob{}));
    QVERIFY(session_->wait_idle(60));
    QVERIFY(!gain().goes_on);
    QVERIFY(gain().error == "stopped" || gain().error.empty());
    QVERIFY(session_->execute(ClearTuning{}));
    QVERIFY(!session_->snapshot().tuning);
  }

private:
  AblationView gain() const {
    auto view = session_->snapshot().tuning;
    return view && view->ablation ? *view->ablation : AblationView();
  }
  testing::MatmulFile file_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(GainTest)
#include "gain_test.moc"
