// A model of bytes is made, an accelerator beside this machine takes over what it can run, and a
// project keeps that.
#include <QtTest>

#include <algorithm>

#include "engine/session/project/project.h"
#include "tests/support/simulated_devices.h"

using namespace tw;
using namespace tw::session;

class OffloadTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!target_hardware("vta")) QSKIP("this build has no target vta");
    session_ = Session::create(testing::with_simulated_devices(false)).value();
  }

  void a_model_of_floats_has_nothing_for_the_accelerator() {
    do_now(OpenSample{"dqn"});
    do_now(OffloadTo{"local:vta"});
    Snapshot now = session_->snapshot();
    QVERIFY(now.error && !now.cut);
    QVERIFY2(now.error->sentence.find("runs none of the model's kernels") != std::string::npos,
             now.error->sentence.c_str());
    QCOMPARE(code(OffloadTo{"local"}), std::string("bad_cut"));
    QCOMPARE(code(OffloadTo{"moon"}), std::string("unknown_device"));
  }

  void a_model_of_bytes_is_made_and_opened() {
    do_now(Quantize{.file = folder_.filePath("dqn_bytes.onnx").toStdString()});
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.quantized && now.quantized->quantized > 0 && now.quantized->kept > 0);
    QVERIFY2(now.quantized->summary.find("dB signal to noise") != std::string::npos,
             now.quantized->summary.c_str());
    QCOMPARE(now.model->name, std::string("dqn_bytes.onnx"));
  }

  void what_it_can_run_goes_there_and_the_rest_says_why_it_stays() {
    do_now(OffloadTo{"local:vta"});
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.cut && now.cut->places == (std::vector<std::string>{"local", "local:vta"}));
    int there = 0, here = 0;
    for (KernelRow const& row : now.kernels->rows) {
      QVERIFY2(row.helper.empty() != row.stays_because.empty(), row.name.c_str());
      ++(row.helper.empty() ? here : there);
    }
    QVERIFY(there > 0 && here > 0);
    do_now(RemoveCut{});
    for (KernelRow const& row : session_->snapshot().kernels->rows) QVERIFY(row.helper.empty());
  }

  void a_project_keeps_what_runs_where() {
    do_now(OffloadTo{"local:vta"});
    Snapshot before = session_->snapshot();
    std::string project = session_->save();
    QVERIFY(project.find("local:vta") != std::string::npos);
    do_now(OpenSample{"dqn"});
    QVERIFY(!session_->snapshot().cut);
    QVERIFY(session_->restore(project));
    QVERIFY(session_->wait_idle(120));
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.cut && now.cut->places == before.cut->places);
    QCOMPARE(now.cut->points.size(), before.cut->points.size());
    for (size_t i = 0; i < now.kernels->rows.size(); ++i) {
      QCOMPARE(now.kernels->rows[i].helper, before.kernels->rows[i].helper);
      QCOMPARE(now.kernels->rows[i].stays_because, before.kernels->rows[i].stays_because);
    }
  }

  void an_accelerator_that_is_away_stays_in_the_project() {
    Project project = parse_project(session_->save()).value();
    project.model.accelerator = "moon";
    project.cut.clear();
    QVERIFY(session_->restore(to_text(project)));
    QVERIFY(session_->wait_idle(120));
    Snapshot now = session_->snapshot();
    QVERIFY(now.model && now.error);
    QVERIFY2(now.error->sentence.find("nothing is offloaded") != std::string::npos,
             now.error->sentence.c_str());
    QVERIFY(!now.cut);
    QCOMPARE(parse_project(session_->save()).value().model.accelerator, std::string("moon"));
    do_now(OffloadTo{"local:vta"});
    QVERIFY(session_->snapshot().cut);
  }

  void where_it_is_in_use_nothing_is_beside_it() {
    do_now(UseDevice{"local:vta"});
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(!now.cut);
    for (KernelRow const& row : now.kernels->rows)
      QVERIFY(row.helper.empty() && row.stays_because.empty());
    QCOMPARE(code(OffloadTo{"local:vta"}), std::string("bad_cut"));
    // The first kernel is of floats: one that the accelerator runs is chosen instead.
    QVERIFY(now.kernel > 0);
    std::string name = now.kernels->rows[size_t(now.kernel)].name;
    QVERIFY2(name.find("conv_integer") == 0, name.c_str());
  }

private:
  void do_now(Command const& command) {
    Status status = session_->execute(command);
    QVERIFY2(status, status ? "" : status.error().message.c_str());
    QVERIFY(session_->wait_idle(120));
  }
  std::string code(Command const& command) {
    Status status = session_->execute(command);
    return status ? "" : status.error().code;
  }
  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(OffloadTest)
#include "offload_test.moc"
