// Nodes that are taken, kept and replaced one by one, and patterns over them.
#include "engine/graph/rewriter.h"

#include <QtTest>

#include "engine/graph/control.h"
#include "engine/importers/from_foreign.h"
#include "tests/support/line_models.h"

using namespace tw;
using tw::testing::model_of;

namespace {

Graph graph_of(std::vector<std::string> const& lines,
               std::vector<std::string> const& outputs = {"y"}) {
  return build_graph(model_of(lines, {2, 3}, outputs)).value();
}

ValueId value_of(Graph const& graph, std::string const& name) {
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (graph.values[i].name == name) return {int32_t(i)};
  return {};
}

Node const& node_of(Graph const& graph, std::string const& name) {
  return *std::ranges::find(graph.nodes, name, &Node::name);
}

NDArray numbers() { return NDArray::create(DType::kF32, {3}).value(); }

std::vector<std::string> names_of(Graph const& graph) {
  std::vector<std::string> names;
  for (Node const& node : graph.nodes) names.push_back(node.name);
  return names;
}

}  // namespace

class RewriterTest : public QObject {
  Q_OBJECT
private slots:
  void what_is_kept_as_it_is_is_the_same_graph() {
    Graph graph = graph_of({"a = Relu x", "b = Neg a", "y = Add a b"});
    GraphRewriter rewriter(graph);
    while (auto node = rewriter.take()) rewriter.keep(*node);
    QCOMPARE(to_text(rewriter.finish()), to_text(graph));
  }

  void who_reads_a_replaced_value_reads_what_stands_for_it() {
    Graph graph = graph_of({"a = Relu x", "b = Identity a", "c = Identity b", "y = Add c b"});
    GraphRewriter rewriter(graph);
    while (auto node = rewriter.take()) {
      if (node->type == "identity")
        rewriter.replace(node->outputs[0], node->inputs[0]);
      else
        rewriter.keep(*node);
    }
    QCOMPARE(rewriter.uses(value_of(graph, "a")), 2);  // both operands of the sum
    QVERIFY(!rewriter.is_read_once(value_of(graph, "a")));
    Graph after = rewriter.finish();
    QCOMPARE(names_of(after), (std::vector<std::string>{"a", "y"}));
    ValueId a = value_of(graph, "a");
    QCOMPARE(after.nodes[1].inputs, (std::vector<ValueId>{a, a}));
  }

  void an_output_that_is_replaced_is_the_other_value() {
    Graph graph = graph_of({"a = Relu x", "y = Identity a"});
    GraphRewriter rewriter(graph);
    while (auto node = rewriter.take()) {
      if (node->type == "identity")
        rewriter.replace(node->outputs[0], node->inputs[0]);
      else
        rewriter.keep(*node);
    }
    Graph after = rewriter.finish();
    QCOMPARE(after.outputs, std::vector<ValueId>{value_of(graph, "a")});
    QVERIFY(verify(after));
  }

  void an_output_is_a_use_but_not_a_reader() {
    Graph graph = graph_of({"a = Relu x", "y = Neg a"}, {"y", "a"});
    GraphRewriter rewriter(graph);
    QCOMPARE(rewriter.uses(value_of(graph, "a")), 2);
    QCOMPARE(rewriter.uses(value_of(graph, "y")), 1);
    QVERIFY(!rewriter.is_read_once(value_of(graph, "y")));
    QVERIFY(rewriter.is_read_once(value_of(graph, "x")));
  }

  void new_values_have_names_of_their_own() {
    Graph graph = graph_of({"a = Relu x", "y = Neg a"});
    GraphRewriter rewriter(graph);
    ValueId first = rewriter.add_constant("a", numbers()),
            second = rewriter.add_value({"a", {}, {}});
    QCOMPARE(rewriter.value(first).name, std::string("a_1"));
    QCOMPARE(rewriter.value(second).name, std::string("a_2"));
    QVERIFY(rewriter.value(first).is_constant());
    Node node = rewriter.node("neg", {}, {first}, second);
    QCOMPARE(node.name, std::string("a_2"));
    rewriter.keep(node);
    QCOMPARE(rewriter.maker(second)->inputs, std::vector<ValueId>{first});
    QVERIFY(!rewriter.first_maker(second));
  }

  void a_kept_node_can_make_another_value() {
    Graph graph = graph_of({"a = Relu x", "y = Identity a"});
    GraphRewriter rewriter(graph);
    rewriter.keep(*rewriter.take());
    Node copy = *rewriter.take();
    rewriter.make_instead(copy.inputs[0], copy.outputs[0]);
    QVERIFY(!rewriter.maker(copy.inputs[0]));
    QCOMPARE(rewriter.maker(copy.outputs[0])->name, std::string("a"));
    QCOMPARE(rewriter.first_maker(copy.outputs[0])->name, std::string("y"));
    QVERIFY(verify(rewriter.finish()));
  }

  void what_nobody_reads_is_dropped_with_its_constants() {
    ImportedModel model = model_of({"d = Add x w", "e = Relu d", "y = Neg x"}, {2, 3});
    model.graph.initializers["w"] = numbers();
    Graph graph = build_graph(model).value();
    GraphRewriter rewriter(graph);
    while (auto node = rewriter.take()) rewriter.keep(*node);
    QCOMPARE(rewriter.drop_unread(), int64_t(2));
    Graph after = rewriter.finish();
    QCOMPARE(names_of(after), std::vector<std::string>{"y"});
    QVERIFY(!after.value(value_of(after, "w")).is_constant());
  }

  void a_sub_graph_comes_in_the_place_of_its_node() {
    Graph graph = graph_of({"a = Relu x", "y = Neg a"}),
          body = graph_of({"a = Abs x", "y = Sqrt a"});
    GraphRewriter rewriter(graph);
    for (auto node = rewriter.take(); node; node = rewriter.take()) {
      if (node->type == "neg")
        rewriter.splice_next({body, node->inputs, node->outputs, {"from"}});
      else
        rewriter.keep(*node);
    }
    Graph after = rewriter.finish();
    QVERIFY(verify(after));
    std::vector<std::string> types;
    for (Node const& node : after.nodes) types.push_back(node.type);
    QCOMPARE(types, (std::vector<std::string>{"relu", "abs", "sqrt"}));
  }

  void a_pattern_sees_operators_operands_and_what_must_hold() {
    ImportedModel model =
        model_of({"a = Relu x", "m = Mul a w", "s = Add m a", "y = Neg s"}, {2, 3});
    model.graph.initializers["w"] = numbers();
    Graph graph = build_graph(model).value();
    GraphRewriter rewriter(graph);
    auto found = [&](Pattern const& pattern, char const* name) {
      return match(pattern, rewriter.first(), node_of(graph, name));
    };
    QVERIFY(found(made_by("neg"), "y"));
    QVERIFY(!found(made_by("relu"), "y"));
    auto sum = found(made_by("add", {made_by("mul", {any_value().as("data"), a_constant().as("by")})
                                         .as("product")
                                         .only_read_there(),
                                     made_by("relu").as("relu")}),
                     "s");
    QVERIFY(sum);
    QCOMPARE(sum->nodes.at("product")->name, std::string("m"));
    QCOMPARE(sum->nodes.at("relu")->name, std::string("a"));
    QCOMPARE(sum->values.at("data"), value_of(graph, "a"));
    QCOMPARE(sum->values.at("by"), value_of(graph, "w"));
    // `a` is read twice; `x` is made by no node; a predicate says no.
    QVERIFY(!found(made_by("add", {made_by("mul", {made_by("relu").only_read_there()})}), "s"));
    QVERIFY(!found(made_by("relu", {made_by("neg")}), "a"));
    QVERIFY(!found(made_by("neg").where([](Node const&) { return false; }), "y"));
    QVERIFY(!found(made_by("neg", {any_value(), any_value()}), "y"));
  }

  void operands_of_a_commutative_operator_match_either_way_round() {
    Graph graph =
        graph_of({"a = Relu x", "b = Abs x", "s = Add a b", "d = Sub a b", "y = Mul s d"});
    GraphRewriter rewriter(graph);
    auto found = [&](char const* op, char const* name) {
      return match(made_by(op, {made_by("abs").as("abs"), made_by("relu").as("relu")}),
                   rewriter.first(), node_of(graph, name));
    };
    auto sum = found("add", "s");
    QVERIFY(sum);
    QCOMPARE(sum->nodes.at("abs")->name, std::string("b"));
    QCOMPARE(sum->nodes.size(), size_t(2));
    QVERIFY(!found("sub", "d"));
  }
};

QTEST_GUILESS_MAIN(RewriterTest)
#include "rewriter_test.moc"
