// A step is a lowered program within 100 ms, a jump in history takes 50 ms, a frame of a drag 16
// ms, and moves are offered within 300 ms, on every ResNet-18 kernel.
#include <QtTest>

#include <algorithm>
#include <functional>
#include <thread>

#include "engine/session/code_report.h"
#include "tests/support/figures.h"
#include "tests/support/sessions.h"

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
    std::string last;  // pass
    for (CodeStage const& stage : *opened.code_stages)
      if (stage.kind == CodeKind::kPass) last = stage.key;
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
    QVERIFY(testing::is_bearable("ResNet-18: a step's program", percentile_95(steps), 100));
    QVERIFY(testing::is_bearable("ResNet-18: a jump", percentile_95(jumps), 50));
  }

  void assembly_is_there_in_time_while_its_report_and_its_passes_are_asked_for() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenSample{"resnet18"}));
    QVERIFY(session->wait_idle(120));
    std::vector<double> texts, complete;
    for (size_t row = 0; row < session->snapshot().kernels->rows.size(); ++row) {
      QVERIFY(session->execute(SelectKernel{int(row)}));
      QElapsedTimer timer;
      timer.start();
      QVERIFY(session->execute(JumpTo{0}));
      auto is_there = [&] {
        (void)pass_changes(*session);
        (void)assembly_report(*session);
        return session->code("assembly", false) != nullptr;
      };
      (void)waited(is_there);
      texts.push_back(double(timer.nsecsElapsed()) / 1e6);
      auto is_complete = [&] {
        auto report = assembly_report(*session);
        return report && report->complete;
      };
      complete.push_back(waited(is_complete));
    }
    qInfo("assembly of %zu kernels: 95th percentile %.0f ms; its report behind it: %.0f ms",
          texts.size(), percentile_95(texts), percentile_95(complete));
    QVERIFY(texts.size() > 15);
    QVERIFY(testing::is_bearable("ResNet-18: assembly", percentile_95(texts), 500));
    QVERIFY(
        testing::is_bearable("ResNet-18: the report of assembly", percentile_95(complete), 500));
  }

  void what_is_pointed_at_and_what_is_offered_come_in_time_on_every_kernel_of_resnet18() {
    auto session = testing::make_session(true);  // the model of time needs the machine's roofs
    QVERIFY(session->execute(OpenSample{"resnet18"}));
    QVERIFY(session->wait_idle(120));
    std::vector<double> frames, looks, moves;
    for (size_t row = 0; row < session->snapshot().kernels->rows.size(); ++row) {
      QVERIFY(session->execute(SelectKernel{int(row)}));
      QVERIFY(session->wait_idle(120));
      auto nest = session->snapshot().nest;
      moves.push_back(waited([&] { return session->next_moves("") != nullptr; }));
      // A pull along the handle of each loop: what a frame of it waits for, and what follows it.
      for (LoopBar const& bar : nest->bars)
        for (int64_t factor = 2; factor < bar.extent; factor *= 4) {
          std::string line = "split(" + bar.reference + ", factor=" + std::to_string(factor) + ")";
          QElapsedTimer timer;
          timer.start();
          (void)session->preview(line);
          (void)session->outlook(line);
          frames.push_back(double(timer.nsecsElapsed()) / 1e6);
          looks.push_back(waited([&] { return session->outlook(line) != nullptr; }));
        }
    }
    qInfo(
        "%zu frames of a pull, 95th percentile %.2f ms, worst %.2f ms; where it leads: 95th "
        "percentile %.2f ms; moves of %zu kernels: 95th percentile %.1f ms, worst %.1f ms",
        frames.size(), percentile_95(frames), *std::ranges::max_element(frames),
        percentile_95(looks), moves.size(), percentile_95(moves), *std::ranges::max_element(moves));
    QVERIFY(frames.size() > 100 && moves.size() > 15);
    QVERIFY(testing::is_bearable("ResNet-18: a frame of a pull", percentile_95(frames), 16));
    QVERIFY(testing::is_bearable("ResNet-18: where a pull leads", percentile_95(looks), 100));
    QVERIFY(testing::is_bearable("ResNet-18: next moves", percentile_95(moves), 300));
  }

private:
  /// Milliseconds until it is true; a minute where it never is.
  static double waited(std::function<bool()> const& is_there) {
    QElapsedTimer timer;
    timer.start();
    while (!is_there() && timer.elapsed() < 60'000)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    return double(timer.nsecsElapsed()) / 1e6;
  }
};

QTEST_GUILESS_MAIN(LatencyTest)
#include "latency_test.moc"
