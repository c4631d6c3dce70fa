// The waits of interaction.md on two pipelines of many stages: an attention block and a convolution
// by Winograd's transforms.
#include <QtTest>

#include <algorithm>
#include <functional>
#include <thread>

#include "engine/session/moves.h"
#include "tests/support/figures.h"
#include "tests/support/pipelines.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

double percentile_95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[size_t(double(values.size() - 1) * 0.95)];
}

double waited(std::function<bool()> const& is_there) {
  QElapsedTimer timer;
  timer.start();
  while (!is_there() && timer.elapsed() < 60'000)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  return double(timer.nsecsElapsed()) / 1e6;
}

/// What was waited for, and the most that interaction.md allows.
class Waits {
public:
  void add(std::string const& what, double allowed, double ms) {
    auto& [most, times] = rows_[what];
    most = allowed;
    times.push_back(ms);
  }
  void judge(char const* kernel) const {
    for (auto const& [what, row] : rows_) {
      double p95 = percentile_95(row.second);
      qInfo("%s: %s: 95th percentile of %zu %.2f ms, worst %.2f ms; allowed %.0f ms", kernel,
            what.c_str(), row.second.size(), p95, *std::ranges::max_element(row.second), row.first);
      std::string figure = std::string(kernel) + ": " + what;
      QVERIFY(testing::is_bearable(figure.c_str(), p95, row.first));
    }
  }

private:
  std::map<std::string, std::pair<double, std::vector<double>>> rows_;
};

}  // namespace

class PipelineLatencyTest : public QObject {
  Q_OBJECT
private slots:
  void every_wait_is_short_enough_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("attention") << testing::kAttention;
    QTest::newRow("winograd") << testing::kWinograd;
  }

  void every_wait_is_short_enough() {
    QFETCH(QString, text);
    QTemporaryDir folder;
    std::string file = folder.filePath("pipeline.te").toStdString();
    std::ofstream(file) << text.toStdString();
    auto session = testing::make_session(true);  // the model of time needs the machine's roofs
    QVERIFY(session->execute(OpenModel{file}));
    QVERIFY(session->wait_idle(120));
    QVERIFY(session->snapshot().nest);
    Waits waits;
    take_the_rule_step_by_step(*session, waits);
    point_at_every_loop(*session, waits);
    waits.judge(QTest::currentDataTag());
  }

private:
  /// As a person would take it; what each step shows, and when.
  static void take_the_rule_step_by_step(Session& session, Waits& waits) {
    std::string last;  // pass
    for (CodeStage const& stage : *session.snapshot().code_stages)
      if (stage.kind == CodeKind::kPass) last = stage.key;
    int leaf = -1;
    for (auto const& node : session.snapshot().history->nodes)
      if (node.label == "default") leaf = node.id;
    QVERIFY2(leaf >= 0, "the kernel has no schedule by rule");
    QVERIFY(session.execute(JumpTo{0}));
    int steps = 0;
    for (QString const& line :
         QString::fromStdString(session.snapshot().history->nodes[size_t(leaf)].step).split('\n')) {
      QElapsedTimer timer;
      timer.start();
      QVERIFY2(session.execute(ApplyStep{line.toStdString()}), qPrintable(line));
      QVERIFY2(!session.snapshot().refusal, qPrintable(line));
      (void)waited([&] { return session.code(last, true) != nullptr; });
      waits.add("program", 100, double(timer.nsecsElapsed()) / 1e6);
      (void)waited([&] { return session.code("assembly", false) != nullptr; });
      waits.add("assembly", 500, double(timer.nsecsElapsed()) / 1e6);
      // Every fourth state: the next step may come before its time is there.
      if (steps++ % 4 != 3) continue;
      waits.add("moves", 300, waited([&] { return session.next_moves("") != nullptr; }));
    }
    QVERIFY(session.wait_idle(120));
    for (int node : {0, leaf, session.snapshot().history->current}) {
      QElapsedTimer timer;
      timer.start();
      QVERIFY(session.execute(JumpTo{node}));
      QCOMPARE(session.snapshot().history->current, node);
      waits.add("jump", 50, double(timer.nsecsElapsed()) / 1e6);
      QVERIFY(session.wait_idle(120));
      waits.add("moves, nothing beside", 300,
                waited([&] { return session.next_moves("") != nullptr; }));
    }
    measure_the_last_step(session, leaf, waits);
  }

  /// The schedule by rule with one step more, five times another one.
  static void measure_the_last_step(Session& session, int leaf, Waits& waits) {
    for (int factor : {2, 4, 8, 16, 32}) {
      QVERIFY(session.execute(JumpTo{leaf}));
      QVERIFY(session.wait_idle(120));
      LoopBar const* widest = nullptr;
      auto nest = session.snapshot().nest;
      for (LoopBar const& bar : nest->bars)
        if (bar.mark == LoopMark::kSerial && (!widest || bar.extent > widest->extent))
          widest = &bar;
      QVERIFY(widest);
      QElapsedTimer timer;
      timer.start();
      QVERIFY(session.execute(
          ApplyStep{"split(" + widest->reference + ", factor=" + std::to_string(factor) + ")"}));
      if (session.snapshot().refusal) continue;
      auto is_measured = [&] {
        auto history = session.snapshot().history;
        return history->nodes[size_t(history->current)].min_ms.has_value();
      };
      (void)waited(is_measured);
      waits.add("first time", 300, double(timer.nsecsElapsed()) / 1e6);
    }
  }

  static void point_at_every_loop(Session& session, Waits& waits) {
    QVERIFY(session.execute(JumpTo{0}));
    QVERIFY(session.wait_idle(120));
    waits.add("moves", 300, waited([&] { return session.next_moves("") != nullptr; }));
    auto nest = session.snapshot().nest;
    for (LoopBar const& bar : nest->bars)
      for (int64_t factor = 2; factor < bar.extent; factor *= 4) {
        std::string line = "split(" + bar.reference + ", factor=" + std::to_string(factor) + ")";
        QElapsedTimer timer;
        timer.start();
        (void)session.preview(line);
        (void)session.outlook(line);
        waits.add("frame of a pull", 16, double(timer.nsecsElapsed()) / 1e6);
        waits.add("where it leads", 100, waited([&] { return session.outlook(line) != nullptr; }));
      }
  }
};

QTEST_GUILESS_MAIN(PipelineLatencyTest)
#include "pipeline_latency_test.moc"
