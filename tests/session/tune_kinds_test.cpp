// Tuning on several devices in a session: those of a kind share a search, other kinds are searched
// for beside it, and what is found there is kept until such a device is put in use.
#include <QtTest>

#include <nlohmann/json.hpp>

#include "app/shared/devices.h"
#include "engine/backend/target_table.h"
#include "engine/device/local_device.h"
#include "engine/session/use_cases.h"
#include "tests/device/test_server.h"
#include "tests/support/paths.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

std::string code(Status const& status) { return status ? "" : status.error().code; }

}  // namespace

class TuneKindsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    list_ = folder_.filePath("devices.json").toStdString();
    QFile::remove(QString::fromStdString(list_));
    session_ = open();
    file_.open(*session_);
  }
  void cleanup() { session_.reset(); }

  void each_kind_has_a_search_of_its_own() {
    QVERIFY(session_->execute(
        Tune{.trials = 10, .search = "random", .seed = 3, .on = "local near twin"}));
    QVERIFY(session_->wait_idle(120));
    auto tuning = session_->snapshot().tuning;
    QCOMPARE(tuning->runs.size(), size_t(2));
    TuningRun const &here = *tuning->runs[0], &there = *tuning->runs[1];
    for (TuningRun const* run : {&here, &there}) {
      QVERIFY2(run->error.empty(), run->error.c_str());
      QCOMPARE(run->trials.size(), size_t(10));
      QCOMPARE(run->group, here.number);
      QVERIFY(run->best_ms && run->default_ms);
    }
    QCOMPARE(tuning->run(), &here);
    QVERIFY(!here.elsewhere && there.elsewhere && here.kind != there.kind);
    QCOMPARE(here.devices.size(), size_t(2));
    QCOMPARE(here.devices[1].name, std::string("near"));
    QCOMPARE(here.devices[0].trials + here.devices[1].trials, 10);
    QCOMPARE(there.devices.size(), size_t(1));
    QVERIFY(there.devices[0].machine.starts_with("Twin, "));
    QCOMPARE(there.device, std::string("twin"));
    // What is better than the default there is kept for it, and changes nothing here.
    QCOMPARE(tuning->kept.size(), size_t(there.best > 0));
    QCOMPARE(session_->snapshot().history->current, 0);
    auto store = records::open_store(folder_.filePath("trials.sqlite").toStdString()).value();
    QCOMPARE(store->count({}).value(), int64_t(20));
    QCOMPARE(store->count({.device = "twin"}).value(), int64_t(10));
  }

  void a_paused_tuning_waits_on_all_kinds() {
    QVERIFY(session_->execute(Tune{.trials = 100'000, .search = "random", .on = "local twin"}));
    auto made = [&](size_t run) {
      auto tuning = session_->snapshot().tuning;
      return run < tuning->runs.size() ? tuning->runs[run]->trials.size() : 0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(made(0) > 2 && made(1) > 2, 60'000);
    QVERIFY(session_->execute(PauseTuning{}));
    QVERIFY(session_->wait_idle(60));
    size_t before = made(0) + made(1);
    QTest::qWait(300);
    QCOMPARE(made(0) + made(1), before);
    QVERIFY(session_->execute(ResumeTuning{}));
    QTRY_VERIFY_WITH_TIMEOUT(made(0) + made(1) > before + 3, 60'000);
    QVERIFY(session_->execute(StopTuning{}));
    QVERIFY(session_->wait_idle(60));
    for (auto const& run : session_->snapshot().tuning->runs)
      QCOMPARE(run->ended, std::string("stopped"));
  }

  void what_was_found_elsewhere_is_adopted_there_and_left_again() {
    QVERIFY(session_->execute(ApplyStep{"parallel(C.i)"}));
    std::string const mine = session_->script();
    std::string const found = script_of("parallel(C.j)");
    keep_for_twin(found);
    auto tuning = session_->snapshot().tuning;
    QCOMPARE(tuning->kept.size(), size_t(1));
    QVERIFY(tuning->kept[0].machine.starts_with("Twin, "));
    QCOMPARE(session_->script(), mine);
    use("twin");
    QCOMPARE(session_->script(), found);
    auto history = session_->snapshot().history;
    HistoryNodeView const& node = history->nodes[size_t(history->current)];
    QVERIFY2(node.label == "tuned", node.label.c_str());
    QCOMPARE(node.note, std::string("trial 7 of the random search on twin"));
    QCOMPARE(node.min_ms.value_or(0), 0.25);
    QVERIFY(history->can_undo);
    QVERIFY(session_->execute(ApplyStep{"unroll(C.k)"}));  // by hand, there
    std::string const theirs = session_->script();
    use("local");
    QCOMPARE(session_->script(), mine);
    use("twin");
    QCOMPARE(session_->script(), theirs);
    // The same in a project, whichever device it is opened on.
    std::string const saved = session_->save();
    session_ = open();
    QVERIFY(session_->restore(saved));
    QVERIFY(session_->wait_idle(60));
    QCOMPARE(session_->script(), mine);
    use("twin");
    QCOMPARE(session_->script(), theirs);
  }

  void searches_are_shown_after_another_device_was_put_in_use() {
    QVERIFY(session_->execute(Tune{.trials = 3, .search = "random", .on = "local twin"}));
    QVERIFY(session_->wait_idle(60));
    use("twin");
    auto tuning = session_->snapshot().tuning;
    QCOMPARE(tuning->runs.size(), size_t(2));
    QVERIFY(tuning->runs[0]->elsewhere && !tuning->runs[1]->elsewhere);
    QVERIFY(session_->execute(OpenTrial{2, tuning->runs[1]->number}));
    QCOMPARE(session_->script(), tuning->runs[1]->trials[1]->script);
  }

  void a_lost_device_is_taken_back_and_a_lost_kind_ends_alone() {
    auto server = std::make_unique<test::TestServer>();
    test::TestServer far;
    QVERIFY(add_device(list_, {"board", server->address(), "", ""}));
    QVERIFY(add_device(list_, {"far", far.address(), "", ""}));
    QVERIFY(
        session_->execute(Tune{.trials = 1'000'000, .search = "random", .on = "local board far"}));
    auto device = [&](size_t run, size_t which) {
      auto tuning = session_->snapshot().tuning;
      bool known = run < tuning->runs.size() && which < tuning->runs[run]->devices.size();
      return known ? tuning->runs[run]->devices[which] : TuningDevice();
    };
    QTRY_VERIFY_WITH_TIMEOUT(device(0, 1).trials > 2 && device(1, 0).trials > 2, 60'000);
    QString port = QString::number(server->port());
    for (test::TestServer* one : {server.get(), &far}) one->process().kill();
    QTRY_COMPARE_WITH_TIMEOUT(device(0, 1).does, DeviceDoes::kLost, 60'000);
    QVERIFY(!device(0, 1).reason.empty());
    int before = device(0, 0).trials;
    QTRY_VERIFY_WITH_TIMEOUT(device(0, 0).trials > before, 60'000);
    server = std::make_unique<test::TestServer>(QStringList(), "127.0.0.1:" + port);
    before = device(0, 1).trials;
    QTRY_VERIFY_WITH_TIMEOUT(device(0, 1).trials > before + 1, 60'000);
    auto lost = [&] { return session_->snapshot().tuning->runs[1]; };
    QTRY_VERIFY_WITH_TIMEOUT(!lost()->goes_on(), 60'000);
    QVERIFY2(lost()->error.find("far") != std::string::npos, lost()->error.c_str());
    QVERIFY(session_->snapshot().tuning->runs[0]->goes_on());
    QVERIFY(session_->execute(StopTuning{}));
    QVERIFY(session_->wait_idle(60));
  }

  void a_model_is_tuned_on_each_kind_and_kept_for_it() {
    QVERIFY(session_->execute(OpenSample{"dqn"}));
    QVERIFY(session_->wait_idle(120));
    QVERIFY(session_->execute(
        TuneModel{.trials = 24, .search = "random", .seed = 3, .on = "local twin"}));
    QVERIFY(session_->wait_idle(300));
    auto tuning = session_->snapshot().tuning;
    QCOMPARE(tuning->beside.size(), size_t(1));
    ModelTuningView const &here = *tuning->model, &there = *tuning->beside[0];
    for (ModelTuningView const* one : {&here, &there}) {
      QVERIFY2(one->error.empty(), one->error.c_str());
      QCOMPARE(one->trials, 24);
      QVERIFY(one->before_ms && one->after_ms);
      QVERIFY(!one->kernels.empty());
    }
    QVERIFY(!here.elsewhere && there.elsewhere);
    QCOMPARE(tuning->kept.size(), size_t(there.changed));
    for (TunedKernelRow const& row : here.kernels)
      if (row.turn != KernelTurn::kTuned)
        QVERIFY(session_->snapshot().kernels->rows[size_t(row.row)].state != KernelState::kTuned);
    use("twin");
    KernelTable const table = *session_->snapshot().kernels;
    for (TunedKernelRow const& row : there.kernels)
      if (row.turn == KernelTurn::kTuned)
        QCOMPARE(table.rows[size_t(row.row)].state, KernelState::kTuned);
  }

  void what_cannot_be_done_is_said_before_anything_begins() {
    Status unknown = session_->execute(Tune{.on = "local nowhere"});
    QCOMPARE(code(unknown), std::string("unknown_device"));
    QVERIFY(!session_->snapshot().tuning);
    QVERIFY(add_device(list_, {"gone", "127.0.0.1:1", "", ""}));
    QVERIFY(session_->execute(Tune{.trials = 3, .on = "local gone"}));
    QVERIFY(session_->wait_idle(120));
    TuningRun const run = *session_->snapshot().tuning->run();
    QVERIFY2(run.error.starts_with("gone cannot be used, and nothing was started: "),
             run.error.c_str());
    QVERIFY(run.trials.empty());
  }

private:
  std::unique_ptr<Session> open() {
    Options options = testing::session_options(false);
    options.trial_store = folder_.filePath("trials.sqlite").toStdString();
    QFile::remove(folder_.filePath("trials.sqlite"));
    options.open_device = [this](std::string const& name, StopToken stop) {
      return opened(name, stop);
    };
    options.device_names = [this] {
      std::vector<std::string> names = device_names(list_);
      names.insert(names.end(), {"near", "twin"});
      return names;
    };
    return Session::create(std::move(options)).value();
  }
  /// "near" is this machine once more; "twin" and "far" are so, too, and say that they are another.
  Result<ChosenDevice> opened(std::string const& name, StopToken stop) const {
    ChosenDevice chosen{.title = name, .backend = {}, .device = {}};
    if (name == "near" || name == "twin") {
      chosen.device = std::make_shared<LocalDevice>(
          LocalDeviceOptions{.program = testing::built("/bin/tw-device"), .target = "cpu"});
    } else {
      TRY_ASSIGN(chosen, choose_device(list_, name, stop));
    }
    TRY_ASSIGN(Hardware hardware, chosen.device->describe({.stop = stop}));
    if (name == "twin") hardware.name = "Twin";
    if (name == "far") hardware.name = "Far";
    TRY_ASSIGN(chosen.backend, create_backend(hardware, code_generator_program()));
    return chosen;
  }
  void use(std::string const& name) const {
    QVERIFY(session_->execute(UseDevice{name}));
    QVERIFY(session_->wait_idle(60));
    auto error = session_->snapshot().error;
    QVERIFY2(!error, error ? error->sentence.c_str() : "");
  }
  /// Of the plain nest after this step, in another session.
  std::string script_of(std::string const& step) {
    auto other = open();
    file_.open(*other);
    if (!other->execute(JumpTo{0}) || !other->execute(ApplyStep{step})) qFatal("no step");
    if (other->snapshot().refusal) qFatal("refused");
    return other->script();
  }
  /// As if a search had found it there.
  void keep_for_twin(std::string const& script) {
    QVERIFY(session_->execute(Tune{.trials = 1, .search = "random", .on = "local twin"}));
    QVERIFY(session_->wait_idle(60));
    std::string kind = session_->snapshot().tuning->runs.at(1)->kind;
    auto project = nlohmann::ordered_json::parse(session_->save());
    project["on_kinds"] = {{{"kernel", "matmul"},
                            {"kind", kind},
                            {"computes", project["kernels"][0]["computes"]},
                            {"machine", "Twin, as it is"},
                            {"at", "script"},
                            {"script", script},
                            {"device", "twin"},
                            {"hardware", "Twin, 2 threads"},
                            {"ms", 0.25},
                            {"note", "trial 7 of the random search on twin"}}};
    QVERIFY(session_->restore(project.dump()));
    QVERIFY(session_->wait_idle(60));
  }

  testing::MatmulFile file_;
  QTemporaryDir folder_;
  std::string list_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(TuneKindsTest)
#include "tune_kinds_test.moc"
