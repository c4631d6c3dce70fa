// What files need not have: sorted nodes, tensors of known types, shapes behind every operator.
#include <QtTest>

#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "engine/importers/order.h"
#include "engine/importers/unread.h"
#include "tests/support/body_models.h"

using namespace tw;
using namespace tw::testing;

namespace {

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

Value const* find(Graph const& graph, std::string const& name) {
  for (Value const& value : graph.values)
    if (value.name == name) return &value;
  return nullptr;
}

/// x: f32[N, 4], u: f32[N, 4], z = x + u
ImportedModel open_model() {
  ImportedModel model = model_of({"z = Add x u"}, {1, 4}, {"z"});
  model.graph.inputs.push_back(declared("u", DType::kF32, {1, 4}));
  for (ForeignValue& input : model.graph.inputs) (*input.dims)[0] = {std::nullopt, "N"};
  return model;
}

/// What quantizes and its kin between two convolutions, and a Relu behind all.
ImportedModel quantized_model() {
  ImportedModel model =
      model_of({"q = QuantizeLinear x s z", "d = DequantizeLinear q s z", "c = Conv d w",
                "q2 = QuantizeLinear c s z", "k = QLinearConv q2 s z wq s wz s z",
                "d2 = DequantizeLinear k s z", "y = Relu d2"},
               {1, 2, 8, 8});
  model.graph.initializers = {{"s", numbers(DType::kF32, {}, {0.5})},
                              {"z", numbers(DType::kU8, {}, {3})},
                              {"wz", numbers(DType::kI8, {}, {0})},
                              {"w", NDArray::create(DType::kF32, {4, 2, 3, 3}).value()},
                              {"wq", NDArray::create(DType::kI8, {5, 4, 3, 3}).value()}};
  return model;
}

}  // namespace

class ImportRulesTest : public QObject {
  Q_OBJECT
private slots:
  void nodes_may_come_in_any_order() {
    Lines const lines{"a = Relu x", "b = Neg a", "c = Exp b", "y = Add a c"};
    Lines shuffled = lines;
    Rng rng(5);
    auto expected =
        reference_run(build_graph(model_of(lines, {4})).value(), {floats({-1, 0, 1, 2})});
    for (int round = 0; round < 20; ++round) {
      for (size_t i = shuffled.size(); i-- > 1;)
        std::swap(shuffled[i], shuffled[size_t(rng.below(int64_t(i) + 1))]);
      auto graph = build_graph(model_of(shuffled, {4}));
      QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
      auto outputs = reference_run(*graph, {floats({-1, 0, 1, 2})});
      QVERIFY(outputs && elements((*outputs)[0]) == elements((*expected)[0]));
    }
  }

  void sorted_nodes_stay_where_they_are() {
    auto order = sorted_nodes(model_of({"b = Neg x", "a = Relu x", "y = Add a b"}, {4}).graph);
    QCOMPARE(order.value(), (std::vector<size_t>{0, 1, 2}));
    order = sorted_nodes(model_of({"y = Add a b", "b = Neg x", "a = Relu x"}, {4}).graph);
    QCOMPARE(order.value(), (std::vector<size_t>{1, 2, 0}));
  }

  void what_a_graph_inside_reads_is_made_before_its_node() {
    ImportedModel model = model_of({"y = If c", "late = Neg x"}, {4});
    model.graph.nodes[0].attributes = {{"then_branch", body({"r = Relu late"}, {"r"})},
                                       {"else_branch", body({"n = Neg late"}, {"n"})}};
    model.graph.inputs.push_back(declared("c", DType::kBool, {}));
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    auto outputs = reference_run(*graph, {floats({1, -2, 3, -4}), numbers(DType::kBool, {}, {1})});
    QVERIFY2(outputs.has_value(), qPrintable(sentence(outputs)));
    QCOMPARE(elements((*outputs)[0]), (std::vector<double>{0, 2, 0, 4}));
  }

  /// A name inside of a graph inside may be a name of the graph around, made later.
  void names_of_graphs_inside_are_their_own() {
    Body inner = body({"late = Neg s", "r = Relu late"}, {"r"});
    ForeignGraph outer = *body({"q = If c"}, {"q"});
    outer.nodes[0].attributes = {{"then_branch", inner}, {"else_branch", inner}};
    auto middle = std::make_shared<ForeignGraph const>(outer);
    ImportedModel model = model_of({"s = Exp x", "y = If c", "late = Neg y"}, {4}, {"late"});
    model.graph.nodes[1].attributes = {{"then_branch", middle}, {"else_branch", middle}};
    model.graph.inputs.push_back(declared("c", DType::kBool, {}));
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
  }

  void a_circle_is_one_sentence() {
    auto graph = build_graph(model_of({"a = Relu b", "b = Neg a", "y = Add a x"}, {4}));
    QVERIFY(!graph);
    QCOMPARE(sentence(graph), QString("node a: it depends on its own result: 3 of 3 nodes depend "
                                      "on each other, 'a', 'b', 'y' among them"));
    QCOMPARE(sentence(build_graph(model_of({"y = Relu nothing"}, {4}))),
             QString("node y: it reads 'nothing', which nothing before it computes"));
  }

  void an_initializer_that_is_not_read_stops_its_readers_only() {
    ImportedModel model = model_of({"a = Relu x", "t = Cast words", "y = Neg a"}, {4}, {"y", "t"});
    model.graph.nodes[1].attributes["to"] = int64_t(1);
    std::string reason =
        "the tensor 'words' has the element type string (8), which is not supported";
    for (std::string const name : {"words", "unused"})
      model.graph.nodes.push_back(
          {name, "tensor", kUnreadTensor, {}, {name}, {{"reason", reason}}});
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    int opaque = 0;
    for (Node const& node : graph->nodes) {
      opaque += node.is_opaque();
      if (node.is_opaque()) QCOMPARE(node.reason, reason);
    }
    QCOMPARE(opaque, 2);  // the tensor and its reader
    auto optimized = optimize(*graph);
    QVERIFY2(optimized.has_value(), qPrintable(sentence(optimized)));
    QVERIFY(optimized->value(optimized->outputs[0]).shape() == Shape({4}));
  }

  void an_extent_is_fixed_by_its_name_wherever_it_stands() {
    auto graph = build_graph(open_model(), {{{"N", {7}}}});
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    for (char const* name : {"x", "u", "z"}) QCOMPARE(find(*graph, name)->shape(), Shape({7, 4}));
    // The shape of one input tells the other's.
    graph = build_graph(open_model(), {{{"u", {3, 4}}}});
    QCOMPARE(find(*graph, "x")->shape(), Shape({3, 4}));
  }

  void fixes_that_contradict_each_other_are_errors_data() {
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<QStringList>("fixes");
    QTest::newRow("two shapes") << "--shape u=2x4 makes N 2, --shape x=3x4 makes it 3"
                                << QStringList{"u", "2x4", "x", "3x4"};
    QTest::newRow("name and shape")
        << "--shape N=5 makes N 5, --shape x=3x4 makes it 3" << QStringList{"N", "5", "x", "3x4"};
    QTest::newRow("other shape") << "the input 'x' is f32[N, 4], but 3x5 was given"
                                 << QStringList{"x", "3x5"};
    QTest::newRow("two numbers") << "N is a single extent, but 3x5 was given"
                                 << QStringList{"N", "3x5"};
    QTest::newRow("neither") << "the model has no input and no extent 'M' to set"
                             << QStringList{"M", "3"};
  }
  void fixes_that_contradict_each_other_are_errors() {
    QFETCH(QString, sentence);
    QFETCH(QStringList, fixes);
    ImportOptions options;
    for (int i = 0; i < fixes.size(); i += 2)
      options.fixed[fixes[i].toStdString()] = parse_shape(fixes[i + 1].toStdString()).value();
    auto graph = build_graph(open_model(), options);
    QVERIFY(!graph);
    // Of two entries either may come first.
    QString got = QString::fromStdString(graph.error().message);
    bool swapped = got.contains(" makes it ") && sentence.contains(" makes it ");
    QVERIFY2(got == sentence || swapped, qPrintable(got));
  }

  void what_the_file_holds_cannot_be_fixed_to_another_shape() {
    ImportedModel model = open_model();
    ForeignValue listed{"s", ForeignKind::kTensor, DType::kF32, std::vector<ForeignDim>()};
    model.graph.initializers["s"] = numbers(DType::kF32, {2, 2}, {1, 2, 3, 4});
    listed.dims = {{2, ""}, {2, ""}};
    model.graph.inputs.push_back(listed);
    QVERIFY(build_graph(model, {{{"s", {2, 2}}}}));
    auto graph = build_graph(model, {{{"s", {4}}}});
    QVERIFY(!graph);
    QCOMPARE(
        QString::fromStdString(graph.error().message),
        QString("the file holds the elements of 's', of shape 2x2: --shape s=4 cannot change it"));
  }

  void what_does_not_fit_names_its_operands_and_their_sizes() {
    ImportedModel model = model_of({"y = Add x u"}, {1, 4});
    model.graph.inputs.push_back(declared("u", DType::kF32, {2, 3}));
    auto graph = build_graph(model);
    QVERIFY(!graph);
    QVERIFY2(sentence(graph).contains("(of 'x' f32[1, 4], 'u' f32[2, 3])"),
             qPrintable(sentence(graph)));
    model = model_of({"y = Concat x u"}, {1, 4});
    model.graph.inputs.push_back(declared("u", DType::kF16, {1, 4}));
    graph = build_graph(model);
    QVERIFY2(sentence(graph).contains("operands of types f32 and f16 cannot be concatenated"),
             qPrintable(sentence(graph)));
    for (char const* line : {"y = SpaceToDepth x", "y = DepthToSpace x"}) {
      ImportedModel flat = model_of({line}, {1, 4});
      flat.graph.nodes[0].attributes["blocksize"] = int64_t(2);
      auto made = build_graph(flat);
      QString words = made ? made->nodes[0].reason.c_str() : sentence(made);
      QVERIFY2(words.contains("'x' f32[1, 4]"), qPrintable(words));
    }
  }

  void what_stands_behind_a_quantized_node_has_its_shape() {
    auto graph = build_graph(quantized_model());
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    QCOMPARE(to_text(find(*graph, "q")->type), std::string("u8[1, 2, 8, 8]"));
    QCOMPARE(to_text(find(*graph, "c")->type), std::string("f32[1, 4, 6, 6]"));
    QCOMPARE(to_text(find(*graph, "k")->type), std::string("u8[1, 5, 4, 4]"));
    QCOMPARE(to_text(find(*graph, "y")->type), std::string("f32[1, 5, 4, 4]"));
  }

  void declared_shapes_are_kept_and_filled_up() {
    ImportedModel model = quantized_model();
    model.graph.nodes.resize(1);
    model.graph.outputs = {declared("q", DType::kU8, {1, 2, 8, 8})};
    (*model.graph.outputs[0].dims)[3] = {std::nullopt, "W"};
    QCOMPARE(to_text(find(*build_graph(model), "q")->type), std::string("u8[1, 2, 8, 8]"));
  }
};

QTEST_GUILESS_MAIN(ImportRulesTest)
#include "import_rules_test.moc"
