// A model is opened at once, whatever else runs, and what was known stays known when something
// that takes long is stopped.
#include <QtTest>

#include <QTemporaryDir>
#include <QThread>
#include <atomic>
#include <fstream>

#include "engine/session/work.h"
#include "tests/support/sessions.h"
#include "tests/support/simulated_devices.h"

using namespace tw;
using namespace tw::session;

class OpeningTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    file_ = folder_.filePath("matmul.te").toStdString();
    std::ofstream(file_) << testing::kMatmul;
  }

  /// On a machine that nobody has measured yet: its roofs take many seconds.
  void a_first_start_opens_a_model_before_it_measures_the_machine() {
    QTemporaryDir fresh;
    Options options = testing::session_options(true);
    options.cache_folder = fresh.filePath("cache").toStdString();
    auto session = Session::create(std::move(options)).value();
    QTRY_VERIFY(session->snapshot().job);  // it has begun with the roofs
    QCOMPARE(session->snapshot().job->kind, std::string("roofs"));
    QVERIFY(session->execute(OpenModel{file_}));
    QTRY_VERIFY_WITH_TIMEOUT(session->snapshot().model, 60'000);
    auto machine = session->snapshot().machine;
    QVERIFY2(!machine || !machine->roofs_known, "the roofs were measured first");
    // What gave way goes on.
    auto runs = [&] {
      auto job = session->snapshot().job;
      return job && job->kind == "roofs";
    };
    QTRY_VERIFY_WITH_TIMEOUT(runs(), 60'000);
  }

  /// The device that is taken plans what is open anew, which dropped what was to be opened next.
  void a_model_that_waits_is_opened_though_a_device_is_taken() {
    if (!target_hardware("vta")) QSKIP("this build has no other device");
    std::atomic<bool> asked = false, answers = false;
    Options options = testing::with_simulated_devices(false);
    options.open_device = [&](std::string const& name, StopToken stop) {
      asked = true;
      while (!answers && !stop.stop_requested()) QThread::msleep(1);
      return testing::simulated_device(name);
    };
    auto session = Session::create(std::move(options)).value();
    QVERIFY(session->execute(OpenModel{file_}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(session->execute(UseDevice{"local:vta:pynq"}));
    QTRY_VERIFY(asked);
    std::string next = folder_.filePath("next.te").toStdString();
    std::ofstream(next) << testing::kMatmul;
    QVERIFY(session->execute(OpenModel{next}));
    answers = true;
    QVERIFY(session->wait_idle(60));
    QVERIFY(session->snapshot().model);
    QCOMPARE(session->snapshot().model->path, next);
    QCOMPARE(session->snapshot().machine->device, std::string("local:vta:pynq"));
  }

  void a_new_measurement_of_roofs_that_is_stopped_leaves_the_old_ones() {
    auto session = Session::create(testing::session_options(true)).value();
    QVERIFY(session->wait_idle(120));
    auto before = session->snapshot().machine;
    if (!before || !before->rates) QSKIP("the roofs of this machine cannot be measured");
    QVERIFY(session->execute(MeasureRoofs{true}));
    QTRY_VERIFY(session->snapshot().job && session->snapshot().job->kind == "roofs");
    QTest::qWait(200);
    QVERIFY(session->execute(CancelJob{}));
    QVERIFY(session->wait_idle(60));
    auto after = session->snapshot().machine;
    QVERIFY2(after && after->rates, "they are forgotten");
    QCOMPARE(after->rates->best("f32").all_cores, before->rates->best("f32").all_cores);
    // Another start knows them without measuring.
    auto next = Session::create(testing::session_options(true)).value();
    QVERIFY(next->wait_idle(5));
    QVERIFY(next->snapshot().machine && next->snapshot().machine->rates);
  }

  void closing_a_model_leaves_what_is_of_the_machine() {
    QTemporaryDir fresh;
    Options options = testing::session_options(true);
    options.cache_folder = fresh.filePath("cache").toStdString();
    auto session = Session::create(std::move(options)).value();
    QTRY_VERIFY(session->snapshot().job);
    QVERIFY(session->execute(CloseModel{}));
    QTest::qWait(100);
    auto job = session->snapshot().job;
    QVERIFY2(job && job->kind == "roofs", "the machine is not measured any more");
  }

  /// Each at a moment when jobs of one thread begin jobs on others.
  void a_session_may_be_left_at_any_moment() {
    for (int i = 0; i < 12; ++i) {
      auto session = testing::make_session(true);
      QVERIFY(session->execute(OpenModel{file_}));
      QTest::qWait(7 * i);
      session->execute(ApplyStep{"parallel(C.i)"});
      session->next_moves("");
      session->code("assembly", true);
      QTest::qWait(3 * i);
      session.reset();
    }
  }

  void what_a_person_made_is_work_and_what_was_measured_is_not() {
    auto session = testing::make_session(true);
    QVERIFY(!work_has_changed(*session));
    QVERIFY(session->execute(OpenModel{file_}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(!work_has_changed(*session));
    QVERIFY(session->execute(MeasureAgain{}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(!work_has_changed(*session));
    QVERIFY(session->execute(ApplyStep{"parallel(C.i)"}));
    QVERIFY(work_has_changed(*session));
    mark_work_kept(*session);
    QVERIFY(!work_has_changed(*session));
    QVERIFY(session->execute(Undo{}));
    QVERIFY2(work_has_changed(*session), "where one stands is kept, too");
    QVERIFY(session->execute(Redo{}));
    QVERIFY(!work_has_changed(*session));
    for (Command const& command : {Command(SetNote{0, "here"}), Command(TagState{0}),
                                   Command(NameState{0, "start"}), Command(SetBaseline{0})}) {
      QVERIFY(session->execute(command));
      QVERIFY(work_has_changed(*session));
      mark_work_kept(*session);
    }
  }

private:
  QTemporaryDir folder_;
  std::string file_;
};

QTEST_MAIN(OpeningTest)
#include "opening_test.moc"
