// A step is a lowered program within 100 ms, a jump in history takes 50 ms, on every ResNet-18
// kernel.
#include <QtTest>

#include <algorithm>
#include <thread>

#include "tests/support/sessions.h"
#include "tests/support/slowness.h"

using namespace tw;
using namespace tw::session;

namespace {

double percentile_95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[size_t(double(values.size() - 1) * 0.95)];
}

}  // namespace

class LatencyTest : public QObject {
  Q_OBJECT
private slots:
  void steps_and_jumps_are_quick_on_every_kernel_of_resnet18() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenSample{"resnet18"}));
    QVERIFY(session->wait_idle(120));
    Snapshot opened = session->snapshot();
    QVERIFY(opened.kernels);
    std::string last = (*opened.code_stages)[opened.code_stages->size() - 3].key;  // the last pass
    std::vector<double> steps, jumps;
    for (size_t row = 0; row < opened.kernels->rows.size(); ++row) {
      QVERIFY(session->execute(SelectKernel{int(row)}));
      Snapshot now = session->snapshot();
      // The schedule by rule, step by step, as a person would take it.
      int leaf = -1;
      for (auto const& node : now.history->nodes)
        if (node.label == "default") leaf = node.id;
      if (leaf < 0) continue;
      for (QString const& line :
           QString::fromStdString(now.history->nodes[size_t(leaf)].step).split('\n')) {
        QElapsedTimer timer;
        timer.start();
        QVERIFY2(session->execute(ApplyStep{line.toStdString()}), qPrintable(line));
        QVERIFY2(!session->snapshot().refusal, qPrintable(line));
        auto text = session->code(last, true);
        while (!text && timer.elapsed() < 5000)
          std::this_thread::sleep_for(std::chrono::microseconds(200)),
              text = session->code(last, true);
        QVERIFY2(text && text->failure.empty(), qPrintable(line));
        steps.push_back(double(timer.nsecsElapsed()) / 1e6);
      }
      for (int node : {0, leaf, session->snapshot().history->current}) {
        QElapsedTimer timer;
        timer.start();
        QVERIFY(session->execute(JumpTo{node}));
        QCOMPARE(session->snapshot().history->current, node);
        jumps.push_back(double(timer.nsecsElapsed()) / 1e6);
      }
    }
    qInfo("%zu steps, 95th percentile %.2f ms, worst %.2f ms; %zu jumps, 95th percentile %.2f ms",
          steps.size(), percentile_95(steps), *std::max_element(steps.begin(), steps.end()),
          jumps.size(), percentile_95(jumps));
    QVERIFY(steps.size() > 100);
    QVERIFY(percentile_95(steps) < 100 * testing::slowness());
    QVERIFY(percentile_95(jumps) < 50 * testing::slowness());
  }
};

QTEST_GUILESS_MAIN(LatencyTest)
#include "latency_test.moc"
