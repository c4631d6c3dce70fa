// The tensors of a model by name: at the nodes that make and read them, before fusion and after it.
#include "engine/session/graph_tensors.h"

#include <QtTest>

#include <algorithm>

#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

std::vector<GraphTensor> called(std::vector<GraphTensor> const& tensors, std::string const& name) {
  std::vector<GraphTensor> found;
  std::ranges::copy_if(tensors, std::back_inserter(found),
                       [&](GraphTensor const& one) { return one.name == name; });
  return found;
}

bool by_name_of_its_node(std::vector<GraphTensor> const& tensors,
                         std::vector<GraphNodeView> const& nodes) {
  return std::ranges::all_of(tensors, [&](GraphTensor const& one) {
    return one.by == nodes[size_t(one.node)].name || one.by.ends_with(" before fusion");
  });
}

}  // namespace

class GraphTensorsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    session_ = testing::make_session(false);
    QVERIFY(!graph_tensors(*session_));
    QVERIFY(session_->execute(OpenSample{"resnet18"}));
    QVERIFY(session_->wait_idle(60));
    graph_ = session_->snapshot().graph;
    tensors_ = graph_tensors(*session_);
    QVERIFY(graph_ && tensors_);
  }

  void every_edge_is_at_the_node_that_makes_its_value_or_reads_the_input() {
    for (bool before : {false, true})
      for (GraphEdgeView const& edge : before ? graph_->edges_before : graph_->edges) {
        auto found = called(before ? tensors_->before : tensors_->after, edge.value);
        int node = edge.from >= 0 ? edge.from : edge.to;
        auto here = std::ranges::find(found, node, &GraphTensor::node);
        QVERIFY2(here != found.end(), edge.value.c_str());
        QCOMPARE(here->made, edge.from >= 0);
        QCOMPARE(here->shape, edge.shape);
      }
  }

  void inputs_outputs_and_weights_are_there() {
    for (auto const* list : {&tensors_->before, &tensors_->after}) {
      auto read = std::ranges::count(*list, false, &GraphTensor::made);
      QVERIFY2(read >= 20, "the image and the weights");
      QVERIFY(std::ranges::is_sorted(*list, {}, &GraphTensor::node));
    }
    QVERIFY(by_name_of_its_node(tensors_->before, graph_->nodes_before));
    QVERIFY(by_name_of_its_node(tensors_->after, graph_->nodes));
  }

  void what_passes_took_away_is_where_its_node_went() {
    auto gone = std::ranges::find_if(tensors_->after, [](GraphTensor const& one) {
      return !one.made && one.by.ends_with(" before fusion");
    });
    QVERIFY(gone != tensors_->after.end());
    std::string reader = gone->by.substr(0, gone->by.find(" before fusion"));
    auto before = called(tensors_->before, gone->name);
    QVERIFY(!before.empty());
    QCOMPARE(before.front().by, reader);
  }

  void the_list_is_made_once_for_a_model() {
    QCOMPARE(graph_tensors(*session_), tensors_);
    QVERIFY(session_->execute(CloseModel{}));
    QVERIFY(!graph_tensors(*session_));
  }

private:
  std::unique_ptr<Session> session_;
  std::shared_ptr<GraphView const> graph_;
  std::shared_ptr<GraphTensors const> tensors_;
};

QTEST_GUILESS_MAIN(GraphTensorsTest)
#include "graph_tensors_test.moc"
