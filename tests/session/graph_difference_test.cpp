// Two graphs: what was added, removed, changed and moved; names alone make no difference.
#include <QtTest>

#include <algorithm>
#include <thread>

#include "engine/session/graph_difference.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/session.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

NodeDifference only(GraphDifference const& view, NodeChange change) {
  for (NodeDifference const& one : view.nodes)
    if (one.change == change) return one;
  return {};
}

int count_of(Graph const& graph, std::string const& type) {
  return int(std::ranges::count(graph.nodes, type, &Node::type));
}
size_t first_of(Graph const& graph, std::string const& type, size_t from = 0) {
  while (from < graph.nodes.size() && graph.nodes[from].type != type) ++from;
  return from;
}

size_t first_convolution(Graph const& graph) {
  size_t at = 0;
  while (at < graph.nodes.size() && !has(graph.nodes[at].attributes, "strides")) ++at;
  return at;
}

}  // namespace

class GraphDifferenceTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    auto backend = make_environment().value().backend;
    auto model = load_model("sample:dqn", {}, *backend);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    model_ = *model;
    QVERIFY(count_of(model_->before, "relu") > 1);
  }

  void a_graph_does_not_differ_from_itself() {
    GraphDifference view = against(model_->before);
    QCOMPARE(view.count(NodeChange::kSame), int(model_->before.nodes.size()));
    QCOMPARE(view.nodes.size(), model_->before.nodes.size());
    QVERIFY2(view.summary.starts_with("nothing differs"), view.summary.c_str());
  }

  /// Exporters number nodes and values anew.
  void other_names_are_no_difference() {
    Graph graph = model_->before;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      graph.nodes[i].name = "node_" + std::to_string(100 - i);
    for (size_t i = 0; i < graph.values.size(); ++i)
      graph.values[i].name = "value_" + std::to_string(i * 7);
    QVERIFY2(against(graph).summary.starts_with("nothing differs"), against(graph).summary.c_str());
  }

  void a_node_that_was_added_is_the_only_difference() {
    Graph graph = model_->before;
    size_t at = first_of(graph, "relu");
    Node twice = graph.nodes[at];
    ValueId made = graph.add_value(graph.value(twice.outputs[0]));
    graph.value(made).name = "twice";
    for (Node& node : graph.nodes) std::ranges::replace(node.inputs, twice.outputs[0], made);
    twice.name = "twice";
    twice.inputs = {twice.outputs[0]};
    twice.outputs = {made};
    graph.nodes.insert(graph.nodes.begin() + std::ptrdiff_t(at) + 1, twice);
    GraphDifference view = against(graph);
    QCOMPARE(view.summary, "1 added, " + std::to_string(graph.nodes.size() - 1) + " the same");
    NodeDifference added = only(view, NodeChange::kAdded);
    QCOMPARE(added.operation, std::string("relu"));
    QCOMPARE(added.before, -1);
    // The other way round it was removed, at its place.
    LoadedModel more = *model_;
    more.before = graph;
    GraphDifference back = difference_of(more, *model_);
    QCOMPARE(back.count(NodeChange::kRemoved), 1);
    QCOMPARE(back.count(NodeChange::kSame), int(model_->before.nodes.size()));
    NodeDifference removed = only(back, NodeChange::kRemoved);
    QCOMPARE(removed.after, -1);
    QVERIFY(removed.before == int(at) || removed.before == int(at) + 1);
  }

  void what_changed_of_a_node_is_said() {
    Graph graph = model_->before;
    size_t at = first_convolution(graph);
    QVERIFY(at < graph.nodes.size());
    graph.nodes[at].attributes["strides"] = std::vector<int64_t>{9, 9};
    GraphDifference view = against(graph);
    QCOMPARE(view.count(NodeChange::kChanged), 1);
    NodeDifference changed = only(view, NodeChange::kChanged);
    QCOMPARE(changed.before, int(at));
    QCOMPARE(changed.after, int(at));
    QVERIFY2(changed.what.find("strides=[") != std::string::npos &&
                 changed.what.find("-> [9, 9]") != std::string::npos,
             changed.what.c_str());
  }

  void other_weights_are_a_change() {
    Graph graph = model_->before;
    size_t at = first_convolution(graph);
    for (ValueId id : graph.nodes[at].inputs) {
      Value& value = graph.value(id);
      if (!value.is_constant()) continue;
      value.constant = NDArray::create(value.constant.type(), value.constant.shape()).value();
      break;
    }
    GraphDifference view = against(graph);
    QCOMPARE(view.count(NodeChange::kChanged), 1);
    QCOMPARE(only(view, NodeChange::kChanged).what, std::string("constants differ"));
  }

  void another_operator_in_the_same_place_is_a_change() {
    Graph graph = model_->before;
    size_t at = first_of(graph, "relu");
    graph.nodes[at].type = "other";
    graph.nodes[at].op = nullptr;
    GraphDifference view = against(graph);
    QCOMPARE(view.count(NodeChange::kChanged), 1);
    QCOMPARE(only(view, NodeChange::kChanged).operation, std::string("relu -> other"));
  }

  void its_own_passes_take_nodes_in() {
    GraphDifference view = difference_by_passes(*model_);
    QCOMPARE(view.count(NodeChange::kRemoved) + int(model_->after.nodes.size()) -
                 view.count(NodeChange::kAdded),
             int(model_->before.nodes.size()));
    QVERIFY(!view.other);
  }

  void a_session_compares_with_another_model() {
    auto session = testing::make_session(false);
    QVERIFY(!graph_difference(*session, "sample:dqn"));
    QVERIFY(session->execute(OpenSample{"dqn"}));
    QVERIFY(session->wait_idle(60));
    auto same = asked(*session, "sample:dqn");
    QVERIFY(same && same->failure.empty());
    QVERIFY2(same->summary.starts_with("nothing differs"), same->summary.c_str());
    QVERIFY(same->other);
    QCOMPARE(same->other->nodes_before.size(), session->snapshot().graph->nodes_before.size());
    auto other = asked(*session, "sample:mobilenet");
    QVERIFY(other->count(NodeChange::kAdded) > 10);
    auto none = asked(*session, "/no/such/file.onnx");
    QVERIFY2(none->failure.find("/no/such/file.onnx") != std::string::npos, none->failure.c_str());
    auto passes = asked(*session, "");
    QVERIFY(!passes->other && passes->after == "after passes");
  }

private:
  GraphDifference against(Graph const& graph) const {
    LoadedModel other = *model_;
    other.before = graph;
    return difference_of(*model_, other);
  }
  static std::shared_ptr<GraphDifference const> asked(Session& session, std::string const& other) {
    for (int i = 0; i < 60000; ++i) {
      if (auto view = graph_difference(session, other)) return view;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return nullptr;
  }

  Model model_;
};

QTEST_GUILESS_MAIN(GraphDifferenceTest)
#include "graph_difference_test.moc"
