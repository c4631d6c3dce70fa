// The tuning of a whole model in a session: what is faster in the network becomes the kernels'
// schedules, on one device or on several of a kind.
#include <QtTest>

#include "app/shared/devices.h"
#include "engine/session/project/project.h"
#include "engine/session/use_cases.h"
#include "tests/device/test_server.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

std::string code(Status const& status) { return status ? "" : status.error().code; }

}  // namespace

class TuneModelTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    list_ = folder_.filePath("devices.json").toStdString();
    Options options = testing::session_options(false);
    options.trial_store = folder_.filePath("trials.sqlite").toStdString();
    options.open_device = [this](std::string const& name, StopToken stop) {
      return choose_device(list_, name, stop);
    };
    options.device_names = [this] { return device_names(list_); };
    session_ = Session::create(std::move(options)).value();
  }
  void cleanup() { session_.reset(); }

  void what_is_faster_in_the_network_becomes_the_kernels_schedules() {
    open_dqn();
    QVERIFY(session_->execute(TuneModel{.trials = 24, .search = "random", .seed = 3}));
    QCOMPARE(code(session_->execute(TuneModel{})), std::string("tuning_goes_on"));
    QCOMPARE(code(session_->execute(Tune{})), std::string("tuning_goes_on"));
    QVERIFY(session_->wait_idle(300));
    ModelTuningView const view = model();
    QVERIFY2(view.error.empty(), view.error.c_str());
    QCOMPARE(view.state, ModelTuningState::kEnded);
    QCOMPARE(view.ended, std::string("all trials are done"));
    QCOMPARE(view.trials, 24);
    QVERIFY2(view.not_stored.empty(), view.not_stored.c_str());
    QCOMPARE(view.kernels.size(), session_->snapshot().kernels->rows.size());
    QVERIFY(view.before_ms && view.after_ms && *view.after_ms <= *view.before_ms);
    int trials = 0, tuned = 0;
    for (TunedKernelRow const& row : view.kernels) {
      trials += row.trials;
      QVERIFY(row.before_ms > 0);
      tuned += row.turn == KernelTurn::kTuned;
      QVERIFY(session_->execute(SelectKernel{row.row}));
      Snapshot now = session_->snapshot();
      HistoryNodeView const& node = now.history->nodes[size_t(now.history->current)];
      if (row.turn != KernelTurn::kTuned) {
        QVERIFY(node.label != "tuned");
        continue;
      }
      QVERIFY(row.after_ms < row.before_ms);
      QCOMPARE(node.label, std::string("tuned"));
      QVERIFY2(node.note.starts_with("the tuning of the model, "), node.note.c_str());
      QVERIFY(node.min_ms && node.verdict == Verdict::kCorrect);
      QVERIFY(now.history->can_undo);
      // Its trials can be looked at, and the offered one is what stands.
      TuningRun const* run = now.tuning->run(row.run);
      QVERIFY(run && run->row == row.row && run->best > 0);
      QCOMPARE(run->trial(run->best)->script, session_->script());
    }
    QCOMPARE(trials, 24);
    QCOMPARE(view.changed, tuned);
    auto store = records::open_store(folder_.filePath("trials.sqlite").toStdString());
    QCOMPARE((*store)->count({}).value(), int64_t(24));
  }

  /// What it is that is kept is the machine's affair; what was shaped before stays with its kernel.
  void layouts_are_tried_before_the_kernels() {
    open_dqn();
    int last = int(session_->snapshot().kernels->rows.size()) - 1;
    QVERIFY(session_->execute(SelectKernel{last}));
    QVERIFY(session_->execute(JumpTo{0}));
    QVERIFY(session_->execute(TuneModel{.trials = 8, .search = "random", .arranges = 1}));
    QVERIFY(session_->wait_idle(300));
    ModelTuningView const view = model();
    QVERIFY2(view.error.empty(), view.error.c_str());
    QCOMPARE(view.trials, 8);
    QVERIFY(view.choices.size() >= 3);
    Point kept;
    for (TriedChoice const& one : view.choices) {
      size_t equals = one.choice.find('=');
      QVERIFY(equals != std::string::npos);
      QVERIFY(one.speedup > 0 || !one.sentence.empty());
      if (one.kept) kept[one.choice.substr(0, equals)] = one.choice.substr(equals + 1);
    }
    Snapshot now = session_->snapshot();
    QCOMPARE(parse_project(session_->save(), "f").value().model.arrangement, kept);
    for (auto const& choice : now.model->choices)
      QCOMPARE(choice.value, kept.contains(choice.knob) ? kept[choice.knob] : choice.by_rule);
    QCOMPARE(now.kernel, last);
    QVERIFY(now.history->nodes.size() >= 2);
  }

  void it_waits_goes_on_and_what_was_found_before_it_was_stopped_is_compared() {
    open_dqn();
    QVERIFY(session_->execute(TuneModel{.trials = 100'000, .search = "random"}));
    QTRY_VERIFY_WITH_TIMEOUT(model().trials >= 3, 120'000);
    QVERIFY(session_->execute(PauseTuning{}));
    QVERIFY(session_->wait_idle(60));
    QCOMPARE(model().state, ModelTuningState::kPaused);
    int before = model().trials;
    QTest::qWait(300);
    QCOMPARE(model().trials, before);
    QVERIFY(session_->execute(ResumeTuning{}));
    QTRY_VERIFY_WITH_TIMEOUT(model().trials > before + 1, 60'000);
    QVERIFY(session_->execute(StopTuning{}));
    QVERIFY(session_->wait_idle(300));
    QCOMPARE(model().state, ModelTuningState::kEnded);
    QCOMPARE(model().ended, std::string("stopped"));
    QVERIFY2(model().error.empty(), model().error.c_str());
    QVERIFY(model().after_ms);  // the networks were compared
    // Stopped twice it ends at once, and what was tried stays.
    QVERIFY(session_->execute(TuneModel{.trials = 100'000, .search = "random", .seed = 2}));
    QTRY_VERIFY_WITH_TIMEOUT(model().trials >= 3, 120'000);
    size_t runs = session_->snapshot().tuning->runs.size();
    QVERIFY(session_->execute(StopTuning{}));
    QVERIFY(session_->execute(StopTuning{}));
    QVERIFY(session_->wait_idle(120));
    QCOMPARE(model().ended, std::string("stopped"));
    QVERIFY(!model().after_ms);
    QCOMPARE(model().changed, 0);
    QVERIFY(session_->snapshot().tuning->runs.size() > runs);
    QVERIFY(session_->execute(ClearTuning{}));
    QVERIFY(!session_->snapshot().tuning);
  }

  void devices_of_a_kind_share_it_and_say_what_they_do() {
    test::TestServer server;
    QVERIFY2(!server.address().empty(), qPrintable(server.said()));
    QVERIFY(add_device(list_, {"board", server.address(), "", ""}));
    QVERIFY(add_device(list_, {"gone", "127.0.0.1:1", "", ""}));
    open_dqn();
    std::shared_ptr<std::vector<DeviceChoice> const> choices;
    QTRY_VERIFY_WITH_TIMEOUT((choices = session_->device_choices(false)) != nullptr, 60'000);
    QCOMPARE(choices->size(), size_t(2));
    QCOMPARE(choices->at(0).name, std::string("board"));
    QVERIFY(choices->at(0).same_kind && choices->at(0).trouble.empty());
    QVERIFY(!choices->at(1).same_kind && !choices->at(1).trouble.empty());
    QVERIFY(session_->execute(
        TuneModel{.trials = 24, .search = "random", .seed = 3, .on = "local board"}));
    QVERIFY(session_->wait_idle(300));
    QVERIFY2(model().error.empty(), model().error.c_str());
    QCOMPARE(model().devices.size(), size_t(2));
    QCOMPARE(model().devices[1].name, std::string("board"));
    QCOMPARE(model().devices[0].trials + model().devices[1].trials, 24);
    QVERIFY(model().devices[0].trials > 0 && model().devices[1].trials > 0);
    for (TuningDevice const& one : model().devices) QCOMPARE(one.does, DeviceDoes::kIdle);
    int of_runs = 0;  // kernel by kernel they are the same
    for (auto const& run : session_->snapshot().tuning->runs) {
      QCOMPARE(run->devices.size(), size_t(2));
      of_runs += run->devices[1].trials;
    }
    QCOMPARE(of_runs, model().devices[1].trials);
    // One that does not answer: the tuning says so before anything was tried.
    QVERIFY(session_->execute(TuneModel{.trials = 8, .on = "local gone"}));
    QVERIFY(session_->wait_idle(120));
    QVERIFY(!model().error.empty());
    QCOMPARE(model().trials, 0);
  }

  void what_cannot_be_tuned_is_said() {
    QCOMPARE(code(session_->execute(TuneModel{})), std::string("no_model"));
    QCOMPARE(code(session_->execute(TuneModel{.trials = -1})), std::string("bad_budget"));
    QCOMPARE(code(session_->execute(TuneModel{.search = "by wish"})),
             std::string("unknown_search"));
    testing::MatmulFile file;
    file.open(*session_);
    QCOMPARE(code(session_->execute(TuneModel{})), std::string("no_network"));
  }

private:
  ModelTuningView model() const {
    auto view = session_->snapshot().tuning;
    return view && view->model ? *view->model : ModelTuningView();
  }
  void open_dqn() const {
    QVERIFY(session_->execute(OpenSample{"dqn"}));
    QVERIFY(session_->wait_idle(120));
    QVERIFY(session_->snapshot().nest);
  }
  QTemporaryDir folder_;
  std::string list_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(TuneModelTest)
#include "tune_model_test.moc"
