// The kernels of a model of bytes below the roofs of a simulated accelerator.
#include <QtTest>

#include <algorithm>

#include "engine/session/model_roofline.h"
#include "engine/session/quantizing.h"
#include "tests/support/simulated_devices.h"

using namespace tw;
using namespace tw::session;

class LayersTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!target_hardware("vta")) QSKIP("this build has no target vta");
    session_ = Session::create(testing::with_simulated_devices(false)).value();
  }

  void its_kernels_stand_below_its_roofs() {
    std::string file = folder_.filePath("dqn_bytes.onnx").toStdString();
    auto made = quantize_to_file({.source = "sample:dqn", .runs = 1, .out = file});
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(code(UseDevice{"moon"}), std::string());  // a job, which finds out
    QVERIFY(session_->wait_idle(120));
    QVERIFY(session_->snapshot().error);
    do_now(UseDevice{"local:vta"});
    do_now(OpenModel{file});
    Snapshot now = session_->snapshot();
    QVERIFY(now.machine && now.machine->rates && has_computed_roofs(*now.machine));
    (void)session_->layers_roofline();
    QVERIFY(session_->wait_idle(120));
    auto view = session_->layers_roofline();
    QVERIFY(view);
    QCOMPARE(view->below.roofs.size(), size_t(6));
    QCOMPARE(unit_of(view->below.roofs[0]), std::string("GOP/s"));
    QCOMPARE(view->layers.size(), now.kernels->rows.size());
    int hiding = 0, missing = 0;
    for (LayerPoint const& layer : view->layers) {
      missing += !layer.missing.empty();
      if (!layer.missing.empty() || !layer.serial) continue;
      ++hiding;
      QVERIFY(layer.of_peak > 0 && layer.of_peak <= 1);
      QVERIFY2(layer.serial->model_ms >= layer.by_rule.model_ms, layer.name.c_str());
      QCOMPARE(layer.serial->levels.size(), size_t(4));
    }
    QVERIFY(hiding > 0 && missing > 0);
    QVERIFY2(view->below.explanation.find("without hiding latency") != std::string::npos,
             view->below.explanation.c_str());
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

QTEST_GUILESS_MAIN(LayersTest)
#include "layers_test.moc"
