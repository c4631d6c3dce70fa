#include "engine/importers/from_foreign.h"

#include <QtTest>

#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "tests/support/line_models.h"

using namespace tw;
using tw::testing::model_of;

namespace {

NDArray list(std::vector<int64_t> const& values) {
  NDArray array = NDArray::create(DType::kI64, {int64_t(values.size())}).value();
  std::copy(values.begin(), values.end(), array.as<int64_t>().begin());
  return array;
}

Value const* find(Graph const& graph, std::string const& name) {
  for (Value const& value : graph.values)
    if (value.name == name) return &value;
  return nullptr;
}

std::vector<int64_t> elements(Graph const& graph, std::string const& name) {
  Value const* value = find(graph, name);
  if (!value || !value->is_constant()) return {};
  auto all = value->constant.as<int64_t>();
  return {all.begin(), all.end()};
}

/// The shape of x, all but its last two extents, and -1 in their place: what exporters write for
/// "flatten the image".
ImportedModel flatten_chain(Shape const& shape) {
  ImportedModel model =
      model_of({"shape = Shape x", "wide = Cast shape", "head = Slice wide zero two",
                "where = Concat head rest", "y = Reshape x where"},
               shape);
  model.graph.nodes[1].attributes["to"] = int64_t(7);
  model.graph.nodes[3].attributes["axis"] = int64_t(0);
  model.graph.initializers = {{"zero", list({0})}, {"two", list({2})}, {"rest", list({-1})}};
  return model;
}

}  // namespace

class FromForeignTest : public QObject {
  Q_OBJECT
private slots:
  void a_chain_from_a_fixed_shape_is_known_when_the_model_is_read() {
    auto graph = build_graph(flatten_chain({2, 3, 4, 5}));
    QVERIFY(graph && graph->notes.empty());
    QCOMPARE(elements(*graph, "shape"), (std::vector<int64_t>{2, 3, 4, 5}));
    QCOMPARE(elements(*graph, "head"), (std::vector<int64_t>{2, 3}));
    QCOMPARE(elements(*graph, "where"), (std::vector<int64_t>{2, 3, -1}));
    QCOMPARE(find(*graph, "y")->shape(), Shape({2, 3, 20}));
    auto optimized = optimize(*graph);
    QCOMPARE(optimized->nodes.size(), 1u);
    QCOMPARE(optimized->nodes[0].type, std::string("reshape"));
  }

  void a_chain_from_an_open_shape_leaves_one_sentence_until_it_is_fixed() {
    ImportedModel model = flatten_chain({2, 3, 4, 5});
    (*model.graph.inputs[0].dims)[0] = {std::nullopt, "N"};
    auto open = build_graph(model);
    QVERIFY(open.has_value());
    QCOMPARE(QString::fromStdString(open->notes.back()),
             QString("node 'y' (Reshape) is run by its slow reference code: the new shape is "
                     "computed while the model runs"));
    auto fixed = build_graph(model, {{{"x", {7, 3, 4, 5}}}});
    QVERIFY(fixed && fixed->notes.empty());
    QCOMPARE(find(*fixed, "y")->shape(), Shape({7, 3, 20}));
  }

  void an_integer_of_64_bits_survives_a_chain() {
    int64_t const large = (int64_t(1) << 62) + 1;
    ImportedModel model = model_of({"same = Cast big", "y = Gather same one"}, {1});
    model.graph.nodes[0].attributes["to"] = int64_t(7);
    model.graph.initializers = {{"big", list({0, large})}, {"one", list({1})}};
    auto graph = build_graph(model);
    QCOMPARE(elements(*graph, "y"), std::vector<int64_t>{large});
  }

  void a_node_of_several_outputs_becomes_one_node_for_each() {
    ImportedModel model = model_of({"a,b,c = Split x sizes"}, {2, 9}, {"a", "c"});
    model.graph.nodes[0].attributes["axis"] = int64_t(-1);
    model.graph.initializers = {{"sizes", list({2, 3, 4})}};
    auto graph = build_graph(model);
    QVERIFY(graph.has_value());
    QCOMPARE(graph->nodes.size(), 3u);
    QCOMPARE(graph->nodes[1].name, std::string("b"));
    QCOMPARE(graph->nodes[2].origins, std::vector<std::string>{"a,b,c"});
    NDArray x = NDArray::create(DType::kF32, {2, 9}).value();
    for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(i));
    auto outputs = reference_run(*graph, {x}).value();
    QCOMPARE(outputs[0].shape(), Shape({2, 2}));
    QCOMPARE(outputs[1].shape(), Shape({2, 4}));
    QCOMPARE(outputs[1].value_at(4), 14.0);
    QCOMPARE(optimize(*graph)->nodes.size(), 2u);
  }

  /// X: 3 steps, 2 rows, 4 inputs; 5 hidden units.
  static ImportedModel lstm_model(std::vector<std::string> const& outputs,
                                  std::vector<int64_t> const& lengths) {
    ImportedModel model = model_of({"y,h,c = LSTM x w r bias lengths"}, {3, 2, 4}, outputs);
    model.graph.initializers = {{"w", NDArray::create(DType::kF32, {1, 20, 4}).value()},
                                {"r", NDArray::create(DType::kF32, {1, 20, 5}).value()},
                                {"bias", NDArray::create(DType::kF32, {1, 40}).value()},
                                {"lengths", list(lengths)}};
    return model;
  }

  void a_recurrence_makes_what_is_read_of_its_outputs_at_once() {
    ImportedModel model = lstm_model({"c"}, {3, 3});
    model.graph.nodes[0].outputs[0] = "";
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), graph ? "" : to_sentence(graph.error()).c_str());
    QCOMPARE(graph->nodes.size(), 1u);
    std::vector<ValueId> made = graph->nodes[0].outputs;
    QVERIFY(made.size() == 3 && made[0].valid() && !made[1].valid() && made[2].valid());
    QCOMPARE(graph->value(made[0]).shape(), Shape({3, 1, 2, 5}));
    QCOMPARE(graph->value(made[2]).shape(), Shape({1, 2, 5}));
    auto outputs = reference_run(*graph, {NDArray::create(DType::kF32, {3, 2, 4}).value()});
    QVERIFY(outputs && (*outputs)[0].shape() == Shape({1, 2, 5}));
  }

  void sequences_of_different_lengths_are_refused_with_the_reason() {
    auto graph = build_graph(lstm_model({"y"}, {3, 2}));
    QVERIFY(graph.has_value());
    QCOMPARE(QString::fromStdString(graph->nodes[0].reason),
             QString("a sequence of 2 steps, while others have 3 (of 'x' f32[3, 2, 4], 'w' f32[1, "
                     "20, 4], 'r' f32[1, 20, 5], 'bias' f32[1, 40])"));
  }

  void a_recurrence_names_the_input_that_does_not_fit_and_its_size() {
    ImportedModel model = lstm_model({"y"}, {3, 3});
    model.graph.initializers["w"] = NDArray::create(DType::kF32, {20, 4}).value();
    auto graph = build_graph(model);
    QVERIFY(!graph.has_value());
    QCOMPARE(
        QString::fromStdString(to_sentence(graph.error())),
        QString("node y,h,c: W of a recurrence has three dimensions, not 2 (of 'x' f32[3, 2, 4], "
                "'w' f32[20, 4], 'r' f32[1, 20, 5], 'bias' f32[1, 40])"));
  }

  void parts_that_do_not_fill_the_axis_are_refused_by_name() {
    ImportedModel model = model_of({"a,b = Split x sizes"}, {2, 9}, {"a"});
    model.graph.nodes[0].attributes["axis"] = int64_t(1);
    model.graph.initializers = {{"sizes", list({4, 4})}};
    auto graph = build_graph(model);
    QVERIFY(!graph.has_value());
    QCOMPARE(
        QString::fromStdString(to_sentence(graph.error())),
        QString(
            "node a: the parts have 8 elements together, but the axis has 9 (of 'x' f32[2, 9])"));
  }

  void an_input_of_strings_leaves_its_readers_opaque() {
    ImportedModel model = model_of({"y = Cast x"}, {2});
    model.graph.nodes[0].attributes["to"] = int64_t(1);
    model.graph.inputs[0].type = std::nullopt;
    auto graph = build_graph(model);
    QVERIFY(graph.has_value());
    QCOMPARE(QString::fromStdString(graph->nodes[0].reason),
             QString("the element type of 'x' is not known"));
  }
};

QTEST_GUILESS_MAIN(FromForeignTest)
#include "from_foreign_test.moc"
