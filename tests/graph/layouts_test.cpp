// Layouts as values, in graphs, and how choices are applied.
#include <QtTest>

#include <set>

#include "engine/graph/choices.h"
#include "engine/graph/computes.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "tests/support/blocks_everywhere.h"
#include "tests/support/line_models.h"

using namespace tw;
using tw::testing::model_of;

namespace {

NDArray random_array(Shape const& shape, uint64_t seed, DType type = DType::kF32) {
  NDArray array = NDArray::create(type, shape).value();
  Rng rng(seed);
  for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(rng.below(100)));
  return array;
}

Layout layout(char const* text) { return Layout::parse(text).value(); }

ValueId value_of(Graph const& graph, std::string const& name) {
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (graph.values[i].name == name) return {int32_t(i)};
  return {};
}

NodeId node_of(Graph const& graph, std::string const& name) {
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].name == name) return {int32_t(i)};
  return {};
}

/// Two convolutions with a relu between them: c = conv(x, w), r = relu(c), y = conv(r, v).
Graph two_convolutions() {
  ImportedModel model = model_of({"c = Conv x w", "r = Relu c", "y = Conv r v"}, {1, 3, 5, 4});
  model.graph.initializers["w"] = random_array({8, 3, 3, 3}, 1);
  model.graph.initializers["v"] = random_array({6, 8, 1, 1}, 2);
  return build_graph(model).value();
}

/// Weights of c in blocks, c and r in blocks.
GraphChoices blocks_between(Graph const& graph) {
  GraphChoices choices;
  for (char const* name : {"c", "r"}) choices.values[value_of(graph, name)] = layout("ABCD4b");
  choices.operands[{node_of(graph, "c"), 1}] = layout("ABCD4a");
  return choices;
}

QString message_of(Status const& status) {
  return status ? QString() : QString::fromStdString(to_sentence(status.error()));
}

bool same_results(Graph const& a, Graph const& b) {
  NDArray x = random_array({1, 3, 5, 4}, 7);
  auto left = reference_run(a, {x}), right = reference_run(b, {x});
  return left && right && left->size() == right->size() &&
         compare((*left)[0], (*right)[0], 1e-6).equal;
}

}  // namespace

class LayoutsTest : public QObject {
  Q_OBJECT
private slots:
  void a_layout_survives_its_text() {
    for (char const* text : {"plain", "ABCD16b", "ABCD16a", "BA", "ACDB", "BA4a2b3a", "A1a"})
      QCOMPARE(to_text(layout(text)), std::string(text));
    QVERIFY(layout("ABC").is_plain());
    QCOMPARE(layout("ABCD16b"), Layout::in_blocks(4, 1, 16));
    QCOMPARE(layout("ABCD16b").only_block(1), std::optional<int64_t>(16));
    QCOMPARE(layout("ABCD16b").only_block(0), std::optional<int64_t>());
    QCOMPARE(layout("ACDB").only_block(1), std::optional<int64_t>());
    QCOMPARE(Layout().only_block(1), std::optional<int64_t>(0));
  }

  void what_is_no_layout_is_refused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("why");
    QTest::newRow("empty") << ""
                           << "it names no dimension";
    QTest::newRow("twice") << "AAB"
                           << "names every dimension once";
    QTest::newRow("gap") << "AC"
                         << "names every dimension once";
    QTest::newRow("no size") << "ABb"
                             << "a number followed by a lowercase letter";
    QTest::newRow("no dimension") << "AB4"
                                  << "a number followed by a lowercase letter";
    QTest::newRow("another dimension") << "AB4c"
                                       << "of one of the dimensions";
    QTest::newRow("zero") << "AB0b"
                          << "1 to 65536";
    QTest::newRow("negative") << "AB-4b"
                              << "1 to 65536";
    QTest::newRow("huge") << "AB99999999999999999999b"
                          << "a number followed by a lowercase letter";
    QTest::newRow("letters only") << "nchw"
                                  << "it names no dimension";
  }
  void what_is_no_layout_is_refused() {
    QFETCH(QString, text);
    QFETCH(QString, why);
    auto read = Layout::parse(text.toStdString());
    QVERIFY(!read);
    QCOMPARE(read.error().code, std::string("bad_layout"));
    QVERIFY2(read.error().message.find(why.toStdString()) != std::string::npos,
             read.error().message.c_str());
  }

  void elements_come_back_from_every_layout_and_gaps_are_zeros() {
    NDArray matrix = NDArray::create(DType::kF32, {2, 3}).value();
    for (int64_t i = 0; i < 6; ++i) matrix.set_value(i, double(i + 1));
    auto elements = [&](char const* text) {
      NDArray stored = to_layout(matrix, layout(text)).value();
      QStringList list{QString::fromStdString(to_text(stored.shape())) + ":"};
      for (int64_t i = 0; i < stored.size(); ++i) list << QString::number(stored.value_at(i));
      return list.join(" ");
    };
    QCOMPARE(elements("BA"), QString("3x2: 1 4 2 5 3 6"));
    QCOMPARE(elements("AB2b"), QString("2x2x2: 1 2 3 0 4 5 6 0"));
    QCOMPARE(elements("BA2b"), QString("2x2x2: 1 2 4 5 3 0 6 0"));
    Rng rng(11);
    for (int round = 0; round < 300; ++round) {
      RandomCase c = find_operator("change_layout")->random_case(rng);
      for (DType type : {DType::kU8, DType::kF16, DType::kF32, DType::kF64}) {
        NDArray plain = random_array(c.inputs[0].shape(), uint64_t(round), type);
        auto stored = to_layout(plain, c.layouts[0]);
        QVERIFY(stored);
        QCOMPARE(stored->shape(), c.layouts[0].stored(plain.shape()));
        auto back = from_layout(*stored, c.layouts[0], plain.shape());
        QVERIFY(back && back->hash() == plain.hash());
      }
    }
    QVERIFY(!to_layout(matrix, layout("ABC2a")));
    QVERIFY(!from_layout(matrix, layout("AB2b"), {2, 3}));
  }

  void choices_are_applied_and_the_text_shows_them() {
    Graph graph = two_convolutions();
    GraphChoices choices = blocks_between(graph);
    choices.reasons = {"to try it"};
    Graph blocked = apply_choices(graph, choices).value();
    QVERIFY2(verify(blocked).has_value(), qPrintable(message_of(verify(blocked))));
    QCOMPARE(blocked.nodes.size(), size_t(3));
    Value const& c = blocked.value(value_of(graph, "c"));
    QCOMPARE(to_text(*c.shape()), std::string("1x8x3x2"));
    QCOMPARE(to_text(stored_info(c)->shape), std::string("1x2x3x2x4"));
    QString text = QString::fromStdString(to_text(blocked));
    for (char const* part :
         {"'w/ABCD4a': f32[8, 3, 3, 3] as ABCD4a", ": f32[1, 8, 3, 2] as ABCD4b", "# to try it"})
      QVERIFY2(text.contains(part), qPrintable(text));
    QVERIFY(blocked.value(value_of(graph, "w")).constant.empty());  // nobody reads it any more
    QCOMPARE(changed_bytes(blocked), int64_t(0));
    QVERIFY(same_results(graph, blocked));
  }

  void where_layouts_differ_a_change_stands_between() {
    Graph graph = two_convolutions();
    GraphChoices choices = blocks_between(graph);
    choices.operands[{node_of(graph, "c"), 0}] = layout("ABCD4b");  // of 3 channels
    choices.operands[{node_of(graph, "y"), 0}] = Layout();
    choices.algorithms[node_of(graph, "y")] = "im2col";
    Graph changed = apply_choices(graph, choices).value();
    QVERIFY2(verify(changed).has_value(), qPrintable(message_of(verify(changed))));
    std::vector<std::string> types;
    for (Node const& node : changed.nodes) types.push_back(node.type);
    QCOMPARE(types,
             (std::vector<std::string>{"change_layout", "conv", "relu", "change_layout", "conv"}));
    // x: 3 x 20 elements to 4 x 20; r: 48 elements there and here.
    QCOMPARE(changed_bytes(changed), int64_t(4 * (60 + 80 + 48 + 48)));
    QVERIFY(to_text(changed).find("= conv by im2col(") != std::string::npos);
    QVERIFY(same_results(graph, changed));
  }

  void an_output_of_the_model_is_changed_back() {
    Graph graph = two_convolutions();
    graph.outputs.push_back(value_of(graph, "r"));
    Graph blocked = apply_choices(graph, blocks_between(graph)).value();
    QVERIFY2(verify(blocked).has_value(), qPrintable(message_of(verify(blocked))));
    QCOMPARE(blocked.outputs, graph.outputs);
    QCOMPARE(blocked.nodes.size(), size_t(4));
    QCOMPARE(blocked.nodes[2].type, std::string("change_layout"));
    // Who reads it in blocks reads what was written, not what was changed back.
    QCOMPARE(blocked.value(blocked.nodes[3].inputs[0]).layout, layout("ABCD4b"));
    QVERIFY(same_results(graph, blocked));
  }

  void an_absent_output_stays_absent() {
    ImportedModel model = model_of({"y,m = MaxPool x"}, {1, 4, 5, 4});
    model.graph.nodes[0].attributes["kernel_shape"] = std::vector<int64_t>{2, 2};
    model.graph.nodes[0].outputs[1] = "";
    Graph graph = build_graph(model).value();
    graph.nodes[0].outputs.resize(2);  // as a node with an output that nobody names
    auto applied = apply_choices(graph, testing::blocks_everywhere(graph, 4));
    QVERIFY(applied && verify(*applied));
    QVERIFY(!applied->nodes[0].outputs[1].valid());
  }

  void what_a_node_refuses_is_taken_back() {
    ImportedModel model =
        model_of({"a = Relu x", "b = Relu a", "c = Softmax b", "y = Relu c"}, {1, 8, 5, 4});
    Graph graph = build_graph(model).value();
    GraphChoices choices;
    for (char const* name : {"a", "b"}) choices.values[value_of(graph, name)] = layout("ABCD4b");
    choices.algorithms[node_of(graph, "y")] = "by_magic";
    take_back_refused(graph, choices);
    QVERIFY(choices.empty());
    graph = two_convolutions();
    choices = blocks_between(graph);
    take_back_refused(graph, choices);
    QCOMPARE(choices.values.size(), size_t(2));
    choices.operands.clear();  // a result in blocks wants its weights so
    take_back_refused(graph, choices);
    QVERIFY(choices.empty());
  }

  void a_graph_whose_layouts_do_not_fit_is_refused() {
    Graph graph = two_convolutions();
    auto broken = [&](std::function<void(Graph&)> const& change) {
      Graph bad = apply_choices(graph, blocks_between(graph)).value();
      change(bad);
      Status status = verify(bad);
      return status ? QString("fine") : message_of(status);
    };
    QVERIFY(broken([](Graph&) {}) == "fine");
    QVERIFY(broken([&](Graph& g) {
              g.value(value_of(g, "x")).layout = layout("ABCD4b");
            }).contains("'x' is an input or output of the graph, but has layout ABCD4b"));
    QVERIFY(
        broken([&](Graph& g) {
          g.value(value_of(g, "c")).layout = Layout();
        }).contains("relu is element-wise: operand 1 has layout plain, but its result has ABCD4b"));
    QVERIFY(broken([&](Graph& g) {
              g.value(value_of(g, "r")).layout = layout("ABC2a");
            }).contains("which cannot have layout ABC2a"));
    QVERIFY(broken([&](Graph& g) {
              for (char const* name : {"c", "r"})
                g.value(value_of(g, name)).layout = layout("ACDB");
            }).contains("a convolution takes layouts with blocks of channels"));
    QVERIFY(broken([&](Graph& g) {
              g.value(value_of(g, "w/ABCD4a")).layout = layout("ABCD2a");
            }).contains("has a different shape than its type"));
    QVERIFY(broken([&](Graph& g) {
              g.nodes[0].algorithm = "by_magic";
            }).contains("conv is not computed by 'by_magic', but by direct, im2col"));
    QVERIFY(broken([&](Graph& g) {
              g.nodes[0].algorithm = "im2col";
            }).contains("it only takes and gives tensors in the plain layout"));
  }

  void choices_that_make_no_sense_are_refused() {
    Graph graph = two_convolutions();
    auto code = [&](std::function<void(GraphChoices&)> const& change) {
      GraphChoices choices;
      change(choices);
      auto applied = apply_choices(graph, choices);
      return applied ? std::string("applied") : applied.error().code;
    };
    QCOMPARE(code([](GraphChoices&) {}), std::string("applied"));
    QCOMPARE(code([&](GraphChoices& c) { c.values[value_of(graph, "x")] = layout("ABCD4b"); }),
             std::string("bad_choice"));
    QCOMPARE(code([&](GraphChoices& c) { c.values[value_of(graph, "c")] = layout("BA"); }),
             std::string("bad_choice"));
    QCOMPARE(code([&](GraphChoices& c) {
               c.operands[{NodeId{0}, 9}] = layout("ABCD4a");
             }),
             std::string("bad_choice"));
  }

  void made_up_choices_keep_the_results() {
    Graph graph = two_convolutions();
    for (int64_t block : {2, 3, 4, 8}) {
      auto stages = run_graph_passes(
          graph, [&](Graph const& one) { return testing::blocks_everywhere(one, block); });
      QVERIFY2(stages.has_value(), stages ? "" : to_sentence(stages.error()).c_str());
      QVERIFY(same_results(graph, stages->back().graph));
    }
  }

  void every_operator_has_one_list_of_computes_with_names() {
    for (Operator const* op : operator_table()) {
      QVERIFY2(!op->compute || op->computes.empty(), op->name.c_str());
      std::set<std::string> names;
      for (Compute const& compute : op->computes)
        QVERIFY2(compute.takes && compute.make && !compute.doc.empty() &&
                     names.insert(compute.name).second,
                 op->name.c_str());
    }
    QCOMPARE(compute_names(*find_operator("conv")),
             (std::vector<std::string>{"direct", "im2col", "winograd_2x2", "winograd_4x4"}));
    QCOMPARE(compute_names(*find_operator("relu")), (std::vector<std::string>{"direct"}));
  }
};

QTEST_GUILESS_MAIN(LayoutsTest)
#include "layouts_test.moc"
