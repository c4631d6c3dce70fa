/// A large graph for tests, and how long pictures of it take.
#pragma once

#include <QtTest>

#include <ctime>
#include <memory>

#include "engine/session/values.h"
#include "widgets/graph/graph_view.h"

namespace tw::testing {

/// Of this thread: what a picture costs, whoever else is using the machine.
inline double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

/// Dense blocks as in DenseNet: six operators a layer, and in each block every layer reads the
/// outputs of all before it.
inline std::shared_ptr<session::GraphView const> dense_graph(int nodes) {
  auto graph = std::make_shared<session::GraphView>();
  static char const* const kOps[] = {"batch_norm", "relu",   "conv2d",     "batch_norm", "relu",
                                     "conv2d",     "concat", "depth_pool", "mul"};
  std::vector<int> block;
  for (int i = 0; i < nodes; ++i) {
    session::GraphNodeView node;
    node.id = i;
    node.op = kOps[i % 9];
    node.name = "layer" + std::to_string(i / 9) + "/" + node.op + "_" + std::to_string(i);
    node.detail = i % 9 == 2 ? "1x1" : i % 9 == 5 ? "3x3" : "";
    node.pattern = i % 9 == 2 || i % 9 == 5 ? session::PatternClass::kComplex
                                            : session::PatternClass::kInjective;
    node.group = i / 3;
    node.shape = "128x28x28";
    graph->nodes.push_back(node);
    if (i > 0) graph->edges.push_back({i - 1, i, "v", "128x28x28", 4096, i % 3 != 0, "", ""});
    if (i % 9 == 6) {
      for (int before : block)
        graph->edges.push_back({before, i, "v", "32x28x28", 1024, false, "", ""});
      block.push_back(i);
      if (block.size() == 12) block.clear();
    }
    if (i % 3 == 0) graph->groups.push_back({i / 3, -1, "kernel_" + std::to_string(i / 3), {}, 0});
  }
  graph->nodes_before = graph->nodes;
  graph->edges_before = graph->edges;
  return graph;
}

inline double wait_for_layout(GraphView& view) {
  QElapsedTimer timer;
  timer.start();
  while (view.layout().busy() && timer.elapsed() < 30000) QTest::qWait(1);
  return double(timer.nsecsElapsed()) / 1e6;
}

}  // namespace tw::testing
