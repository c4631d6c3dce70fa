// Time over large graphs: ten times the nodes take about ten times as long.
#include <QtTest>

#include <ctime>

#include "engine/compile/plan.h"
#include "engine/graph/pipeline.h"
#include "engine/importers/from_foreign.h"
#include "tests/support/body_models.h"

using namespace tw;
using namespace tw::testing;

namespace {

constexpr int kSmall = 1000, kLarge = 10000;

/// Of this process alone: others may keep the machine busy.
double seconds_of(ImportedModel const& model) {
  std::clock_t start = std::clock();
  auto graph = build_graph(model);
  if (!graph) qFatal("%s", to_sentence(graph.error()).c_str());
  auto optimized = optimize(*graph);
  if (!optimized) qFatal("%s", to_sentence(optimized.error()).c_str());
  auto plan = make_plan(*optimized);
  if (!plan) qFatal("%s", to_sentence(plan.error()).c_str());
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string number(char const* name, int i) { return name + std::to_string(i); }

/// x0 -> x1 -> ... of images whose channels come in blocks.
ImportedModel chain(int nodes) {
  Lines lines;
  for (int i = 0; i < nodes; ++i)
    lines.push_back(number("x", i + 1) + (i % 3 ? " = Relu " : " = Neg ") +
                    (i ? number("x", i) : "x"));
  return model_of(lines, {1, 16, 2, 2}, {number("x", nodes)});
}

/// Every node in the wrong order.
ImportedModel backward(int nodes) {
  ImportedModel model = chain(nodes);
  std::reverse(model.graph.nodes.begin(), model.graph.nodes.end());
  return model;
}

/// Kernels that are all different, values that live long, nodes with several outputs.
ImportedModel wide(int nodes) {
  Lines lines;
  Lines outputs;
  for (int i = 0; i + 4 < nodes; i += 4) {
    std::string n = std::to_string(i), before = i ? "s" + std::to_string(i - 4) : "x";
    lines.push_back("a" + n + ",b" + n + " = Split " + before);
    lines.push_back("c" + n + " = Concat b" + n + " a" + n);
    lines.push_back("d" + n + " = Softmax c" + n);
    lines.push_back("s" + n + " = Add d" + n + " " + (i ? "s" + std::to_string(i - 4) : "x"));
    outputs = {"s" + n};
  }
  ImportedModel model = model_of(lines, {4, 6}, outputs);
  for (ForeignNode& node : model.graph.nodes)
    if (node.op_type == "Split" || node.op_type == "Concat") node.attributes["axis"] = int64_t(1);
  return model;
}

/// Nodes that nothing can run, each with its reason.
ImportedModel unknown(int nodes) {
  Lines lines;
  for (int i = 0; i < nodes; ++i)
    lines.push_back(number("x", i + 1) + " = Mystery " + (i ? number("x", i) : "x"));
  return model_of(lines, {4}, {number("x", nodes)});
}

}  // namespace

class LargeGraphTest : public QObject {
  Q_OBJECT
private slots:
  void ten_times_the_nodes_take_about_ten_times_as_long_data() {
    QTest::addColumn<int>("kind");
    int kinds = 0;
    for (char const* name : {"a chain", "a chain backward", "wide", "unknown"})
      QTest::newRow(name) << kinds++;
  }
  void ten_times_the_nodes_take_about_ten_times_as_long() {
    QFETCH(int, kind);
    ImportedModel (*const make[])(int) = {chain, backward, wide, unknown};
    double small = 1e9, large = 1e9;
    for (int round = 0; round < 3; ++round) {
      small = std::min(small, seconds_of(make[kind](kSmall)));
      if (round < 2) large = std::min(large, seconds_of(make[kind](kLarge)));
    }
    qInfo("%d nodes %.3f s, %d nodes %.3f s", kSmall, small, kLarge, large);
    QVERIFY2(large < 30 * small + 0.05, "the time grows faster than the graph");
  }
};

QTEST_GUILESS_MAIN(LargeGraphTest)
#include "large_graph_test.moc"
