#include <QtTest>

#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "tests/support/line_models.h"

using namespace tw;
using tw::testing::model_of;

namespace {

NDArray random_array(Shape const& shape, uint64_t seed) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  Rng rng(seed);
  for (float& v : array.as<float>()) v = float(rng.normal());
  return array;
}

/// conv -> relu -> max_pool -> relu, and a second reader of the first relu.
Graph small_net() {
  ImportedModel model = model_of(
      {"c = Conv x w", "r = Relu c", "p = MaxPool r", "q = Relu p", "n = Neg r", "y = Abs n"},
      {1, 3, 6, 6}, {"q", "y"});
  model.graph.nodes[2].attributes = {{"kernel_shape", std::vector<int64_t>{2, 2}},
                                     {"strides", std::vector<int64_t>{2, 2}}};
  model.graph.initializers["w"] = random_array({4, 3, 3, 3}, 1);
  return build_graph(model).value();
}

Result<Graph> with(Graph const& graph, FusionChoices const& choices) {
  return optimize(graph, PassChoices(LayoutChooser(), choices));
}

EdgeDecision const& edge_of(Graph const& graph, std::string const& name) {
  static EdgeDecision const none;
  for (EdgeDecision const& edge : graph.decisions)
    if (edge.edge == name) return edge;
  return none;
}

std::vector<std::string> group_with(Graph const& graph, std::string const& node) {
  for (Group const& group : graph.groups) {
    std::vector<std::string> names;
    for (NodeId id : group.nodes) names.push_back(graph.node(id).name);
    if (std::ranges::find(names, node) != names.end()) return names;
  }
  return {};
}

using Names = std::vector<std::string>;

}  // namespace

class FusionChoicesTest : public QObject {
  Q_OBJECT
private slots:
  void what_the_rule_fuses_can_be_kept_apart() {
    Graph graph = small_net();
    Graph by_rule = with(graph, {}).value();
    QVERIFY(edge_of(by_rule, "c>r").fused && !edge_of(by_rule, "c>r").chosen);
    Graph apart = with(graph, {{"c>r", false}}).value();
    EdgeDecision const& edge = edge_of(apart, "c>r");
    QVERIFY(!edge.fused && edge.chosen && !edge.fixed);
    QCOMPARE(edge.rule, std::string("apart"));
    QCOMPARE(QString::fromStdString(edge.reason),
             QString("not fused: you keep them in two kernels; the default is one: relu joins "
                     "conv2d: injective after complex-out-fusable"));
    QCOMPARE(apart.groups.size(), by_rule.groups.size() + 1);
    QVERIFY(verify(apart));
  }

  void what_the_rule_keeps_apart_can_be_fused() {
    Graph graph = small_net();
    Graph by_rule = with(graph, {}).value();
    QVERIFY(!edge_of(by_rule, "p>q").fused);
    Graph together = with(graph, {{"p>q", true}}).value();
    EdgeDecision const& edge = edge_of(together, "p>q");
    QVERIFY(edge.fused && edge.chosen);
    QCOMPARE(group_with(together, "q"), (Names{"p", "q"}));
  }

  void what_others_read_is_computed_once_more_for_the_one() {
    Graph graph = small_net();
    QCOMPARE(edge_of(with(graph, {}).value(), "r>p").rule, std::string("many_readers"));
    Graph together = with(graph, {{"r>p", true}}).value();
    QVERIFY(verify(together));
    EdgeDecision const& edge = edge_of(together, "r>p");
    QVERIFY(edge.fused && edge.chosen);
    QVERIFY2(edge.reason.find("in which conv2d is computed once more") != std::string::npos,
             edge.reason.c_str());
    // With a convolution in it, the kernel takes what comes behind it, too.
    QCOMPARE(group_with(together, "p"), (Names{"c_for_p", "r_for_p", "p", "q"}));
    // The rule sees one reader less, and fuses what is left.
    QCOMPARE(group_with(together, "r"), (Names{"c", "r", "n", "y"}));
    NDArray x = random_array({1, 3, 6, 6}, 7);
    auto expected = reference_run(graph, {x}).value(),
         actual = reference_run(together, {x}).value();
    for (size_t i = 0; i < expected.size(); ++i)
      QVERIFY(compare(actual[i], expected[i], 1e-5).equal);
  }

  /// A kernel keeps nothing of what stands inside of it: the output is made beside it.
  void an_output_that_is_fused_stays_an_output() {
    ImportedModel model = model_of({"r = Relu x", "y = Neg r"}, {2, 3}, {"r", "y"});
    Graph graph = build_graph(model).value();
    QCOMPARE(edge_of(with(graph, {}).value(), "r>y").rule, std::string("output"));
    Graph together = with(graph, {{"r>y", true}}).value();
    QVERIFY(verify(together));
    QVERIFY(edge_of(together, "r>y").fused);
    QCOMPARE(group_with(together, "y"), (Names{"r_for_y", "y"}));
    QCOMPARE(group_with(together, "r"), (Names{"r"}));
  }

  /// The last of the readers needs no copy.
  void all_readers_of_a_value_can_have_their_own() {
    Graph graph = small_net();
    Graph both = with(graph, {{"r>p", true}, {"r>n", true}}).value();
    QVERIFY(verify(both));
    QCOMPARE(both.nodes.size(), graph.nodes.size() + 2);
    QVERIFY(edge_of(both, "r>p").fused && edge_of(both, "r>n").fused);
    QVERIFY(edge_of(both, "r>n").chosen || edge_of(both, "r>n").rule == "epilogue");
  }

  void a_choice_that_is_the_rule_changes_nothing() {
    Graph graph = small_net();
    Graph by_rule = with(graph, {}).value();
    Graph same = with(graph, {{"c>r", true}, {"p>q", false}}).value();
    QCOMPARE(to_text(same), to_text(by_rule));
    QVERIFY(!edge_of(same, "c>r").chosen && !edge_of(same, "p>q").chosen);
  }

  void what_only_the_reference_runs_stays_alone() {
    Graph graph =
        build_graph(model_of({"a = Relu x", "n = Softmax a", "y = Neg n"}, {2, 3})).value();
    Graph by_rule = with(graph, {}).value();
    EdgeDecision const& edge = edge_of(by_rule, "a>n");
    QVERIFY(edge.fixed);
    auto refused = with(graph, {{"a>n", true}});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("cannot_fuse"));
  }
};

QTEST_GUILESS_MAIN(FusionChoicesTest)
#include "fusion_choices_test.moc"
