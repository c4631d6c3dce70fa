// Convolutions by transformed tiles on NVIDIA's GPUs: when they are chosen, that their kernels are
// assembled without spills, and what is modelled of them.
#include <QtTest>

#include "engine/compile/optimize.h"
#include "engine/compile/plan.h"
#include "targets/cuda/compiler/rates.h"
#include "tests/support/convolutions.h"
#include "tests/support/cuda_gpus.h"

using namespace tw;

namespace {

constexpr uint64_t kSeed = 20261130;

/// Of ResNets' layers, and odd ones.
struct Case {
  char const* name;
  testing::ConvolutionShape shape;
};
Case const kCases[] = {{"C2", {1, 64, 56, 56, 64}},   {"C2 x 16", {16, 64, 56, 56, 64}},
                       {"C6", {1, 128, 28, 28, 128}}, {"C6 x 16", {16, 128, 28, 28, 128}},
                       {"C9", {1, 256, 14, 14, 256}}, {"C9 x 16", {16, 256, 14, 14, 256}},
                       {"C12", {1, 512, 7, 7, 512}},  {"C12 x 16", {16, 512, 7, 7, 512}},
                       {"odd", {3, 37, 29, 31, 45}},  {"small", {1, 3, 5, 5, 8}}};

struct Made {
  Graph graph;
  Plan plan;
  std::vector<Knob> knobs;
};

Made made_by(Graph const& graph, Backend const& backend, Point const& point = {}) {
  Decisions decisions(point);
  Graph made = optimize(graph, backend, decisions).value();
  Plan plan = make_plan(made).value();
  return {std::move(made), std::move(plan), decisions.knobs()};
}

Schedule default_of(KernelTask const& task, Backend const& backend) {
  return backend.default_schedule(te::to_program(task.kernel).value()).value();
}

double micros_of(Made const& made, Backend const& backend) {
  Roofs roofs = cuda::roofs_of(backend.target().hardware).value();
  double seconds = 0;
  for (KernelTask const& task : made.plan.kernels) {
    Schedule schedule = default_of(task, backend);
    analysis::Locality locality(schedule.program(), backend.target().hardware.line_bytes());
    seconds += backend.model_time(schedule.program(), locality, roofs)->seconds;
  }
  return seconds * 1e6;
}

}  // namespace

class WinogradTest : public QObject {
  Q_OBJECT
private slots:
  void the_fastest_by_the_model_is_chosen_data() {
    QTest::addColumn<QString>("gpu");
    for (char const* gpu : {"h100", "a100"}) QTest::newRow(gpu) << gpu;
  }
  void the_fastest_by_the_model_is_chosen() {
    QFETCH(QString, gpu);
    auto backend = testing::backend_for(gpu.toStdString());
    int transformed = 0;
    for (Case const& one : kCases) {
      Rng rng(kSeed);
      Graph graph = testing::convolution_graph(one.shape, rng);
      std::map<std::string, double> micros;
      for (std::string algorithm : {"direct", "winograd_2x2", "winograd_4x4"})
        micros[algorithm] =
            micros_of(made_by(graph, *backend, {{"c.algorithm", algorithm}}), *backend);
      Made chosen = made_by(graph, *backend);
      QCOMPARE(chosen.knobs.size(), size_t(1));
      std::string algorithm = chosen.knobs[0].value();
      qInfo("%s, %s: direct %.1f us, 2x2 %.1f us, 4x4 %.1f us: %s", qPrintable(gpu), one.name,
            micros["direct"], micros["winograd_2x2"], micros["winograd_4x4"], algorithm.c_str());
      for (auto const& [name, value] : micros)
        QVERIFY2(micros[algorithm] <= value * 1.2, name.c_str());
      QCOMPARE(chosen.graph.choices.empty(), algorithm == "direct");
      transformed += algorithm != "direct";
    }
    QVERIFY(transformed > 2 && transformed < int(std::size(kCases)));
  }

  void a_person_may_refuse_it() {
    auto backend = testing::backend_for("h100");
    Rng rng(kSeed);
    Graph graph = testing::convolution_graph({16, 128, 28, 28, 128}, rng);
    Made by_rule = made_by(graph, *backend),
         refused = made_by(graph, *backend, {{"c.algorithm", "direct"}});
    QCOMPARE(by_rule.plan.kernels.size(), size_t(3));
    QVERIFY(by_rule.graph.choices[0].find("'c' is computed by winograd_") == 0);
    QVERIFY(by_rule.graph.choices[0].find("µs for it directly") != std::string::npos);
    QCOMPARE(refused.plan.kernels.size(), size_t(1));
  }

  void kernels_are_short_and_assembled_without_spills() {
    auto backend = testing::backend_for("h100");
    int launches = 0;
    QString missing;
    for (Case const& one : kCases)
      for (std::string algorithm : {"winograd_2x2", "winograd_4x4"}) {
        Rng rng(kSeed);
        Graph graph = testing::convolution_graph(one.shape, rng);
        Made made = made_by(graph, *backend, {{"c.algorithm", algorithm}});
        QCOMPARE(made.plan.kernels.size(), size_t(3));
        for (KernelTask const& task : made.plan.kernels) {
          std::string context = algorithm + " " + one.name + " " + task.name;
          Schedule schedule = default_of(task, *backend);
          bool transform = task.name.starts_with("winograd");
          QVERIFY2(schedule.trace().size() <= (transform ? 18 : 25), context.c_str());
          QVERIFY2(transform == (schedule.script().find("unroll(") != std::string::npos),
                   context.c_str());
          auto counted = backend->launches(schedule.program(), true, {});
          QVERIFY2(counted, context.c_str());
          for (LaunchReport const& launch : counted->launches) {
            if (!launch.not_counted.empty()) missing = QString::fromStdString(launch.not_counted);
            QVERIFY2(launch.spill_bytes == 0 && launch.stack_bytes == 0, context.c_str());
            ++launches;
          }
        }
      }
    qInfo("%d launches", launches);
    if (!missing.isEmpty()) QSKIP(qPrintable(missing));
  }
};

QTEST_GUILESS_MAIN(WinogradTest)
#include "winograd_test.moc"
