// What the pass makes of transposes, as lines, and of a network of another format.
#include <QtTest>

#include "engine/graph/inference.h"
#include "engine/graph/passes.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "engine/ir/op.h"
#include "tests/support/line_models.h"

using namespace tw;
using tw::testing::model_of;

namespace {

using Axes = std::vector<int64_t>;

NDArray random_array(Shape const& shape, uint64_t seed) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  Rng rng(seed);
  for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(rng.between(-4, 4)));
  return array;
}

/// "t = Transpose x 0231": digits behind a transpose are its order.
Graph graph_of(std::vector<std::string> lines, Shape const& input,
               std::vector<std::string> const& outputs = {"y"},
               std::map<std::string, Shape> const& constants = {},
               std::map<std::string, Attributes> const& attributes = {}) {
  std::vector<Axes> orders(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(" Transpose ") == std::string::npos) continue;
    size_t space = lines[i].rfind(' ');
    for (char digit : lines[i].substr(space + 1)) orders[i].push_back(digit - '0');
    lines[i].resize(space);
  }
  ImportedModel model = model_of(lines, input, outputs);
  for (size_t i = 0; i < lines.size(); ++i) {
    ForeignNode& node = model.graph.nodes[i];
    if (!orders[i].empty()) node.attributes["perm"] = orders[i];
    if (auto found = attributes.find(node.name); found != attributes.end())
      for (auto const& [name, value] : found->second)
        std::visit([&, key = name](auto const& v) { node.attributes[key] = v; }, value);
  }
  uint64_t seed = 1;
  for (auto const& [name, shape] : constants)
    model.graph.initializers[name] = random_array(shape, ++seed);
  auto graph = build_graph(model);
  if (!graph) qFatal("%s", to_sentence(graph.error()).c_str());
  return *graph;
}

std::string lines_of(Graph const& graph) {
  std::string text;
  for (Node const& node : graph.nodes) {
    text += graph.value(node.outputs[0]).name + " = " + node.type;
    for (ValueId id : node.inputs)
      text += " " + (id.valid() ? graph.value(id).name : std::string("-"));
    for (char const* name : {"order", "axis", "axes", "pads", "shape", "transpose_a"})
      if (auto found = node.attributes.find(name); found != node.attributes.end())
        text += " " + to_text(Attributes{{name, found->second}});
    text += " " + to_text(graph.value(node.outputs[0]).type) + "\n";
  }
  return text;
}

PassCounts counts_of(Graph const& graph) {
  PassCounts counts;
  (void)simplify_transposes().run(graph, {}, counts);
  return counts;
}

/// The lines after the pass; it must compute the same, bit for bit.
std::string simplified(Graph const& graph) {
  Graph after = simplify_transposes().apply(graph).value();
  if (Status valid = verify(after); !valid) return to_sentence(valid.error());
  std::vector<NDArray> inputs;
  for (ValueId id : graph.inputs)
    inputs.push_back(random_array(*graph.value(id).shape(), uint64_t(id.value) + 5));
  auto expected = reference_run(graph, inputs), actual = reference_run(after, inputs);
  if (!expected || !actual) return "it does not run";
  for (size_t i = 0; i < expected->size(); ++i)
    if ((*actual)[i].shape() != (*expected)[i].shape() ||
        !compare((*actual)[i], (*expected)[i], 0, 0).equal)
      return "it computes something else";
  return lines_of(after);
}

void compare_lines(Graph const& graph, char const* expected) {
  QCOMPARE(QString::fromStdString(simplified(graph)), QString(expected));
}

int transposes(Graph const& graph) {
  return int(std::ranges::count(graph.nodes, "transpose", &Node::type));
}

/// A network as a converter from TensorFlow writes it: images are N x H x W x C, and each
/// convolution and pool stands between two transposes.
class CompiledModel {
public:
  explicit CompiledModel(int64_t channels) : channels_(channels) {}

  std::string conv(std::string const& x, int64_t to) {
    std::string name = "conv" + std::to_string(++count_);
    constants_[name + "_w"] = {to, channels_, 3, 3};
    attributes_[name] = {{"pads", Axes{1, 1, 1, 1}}, {"kernel_shape", Axes{3, 3}}};
    channels_ = to;
    return between(x, name, "Conv", " " + name + "_w");
  }
  std::string with_bias(std::string const& x) {
    std::string name = "bias" + std::to_string(++count_);
    constants_[name + "_b"] = {channels_};
    line(name + " = Add " + x + " " + name + "_b");
    return name;
  }
  std::string pool(std::string const& x) {
    std::string name = "pool" + std::to_string(++count_);
    attributes_[name] = {{"kernel_shape", Axes{2, 2}}, {"strides", Axes{2, 2}}};
    return between(x, name, "MaxPool", "");
  }
  std::string relu(std::string const& x) {
    std::string name = "relu" + std::to_string(++count_);
    line(name + " = Relu " + x);
    return name;
  }
  void line(std::string text) { lines_.push_back(std::move(text)); }
  void attribute(std::string const& node, Attributes attributes) {
    attributes_[node] = std::move(attributes);
  }
  void constant(std::string const& name, Shape const& shape) { constants_[name] = shape; }
  Graph make(Shape const& input) const {
    return graph_of(lines_, input, {"y"}, constants_, attributes_);
  }

private:
  std::string between(std::string const& x, std::string const& name, std::string const& op,
                      std::string const& more) {
    line(name + "_in = Transpose " + x + " 0312");
    line(name + " = " + op + " " + name + "_in" + more);
    line(name + "_out = Transpose " + name + " 0231");
    return name + "_out";
  }

  int64_t channels_;
  int count_ = 0;
  std::vector<std::string> lines_;
  std::map<std::string, Shape> constants_;
  std::map<std::string, Attributes> attributes_;
};

Graph network() {
  CompiledModel net(3);
  std::string x = net.relu(net.with_bias(net.conv("x", 8)));
  for (int block = 0; block < 3; ++block) {
    std::string y = net.relu(net.with_bias(net.conv(x, 8)));
    y = net.with_bias(net.conv(y, 8));
    net.line("sum" + std::to_string(block) + " = Add " + y + " " + x);
    x = net.relu("sum" + std::to_string(block));
  }
  std::string a = net.conv(x, 8), b = net.pool(x), c = net.pool(net.relu(a));
  net.line("both = Concat " + b + " " + c);
  net.attribute("both", {{"axis", int64_t(3)}});
  net.line("mean = ReduceMean both");
  net.attribute("mean", {{"axes", Axes{1, 2}}, {"keepdims", int64_t(0)}});
  net.constant("dense_w", {16, 5});
  net.line("y = MatMul mean dense_w");
  return net.make({1, 8, 8, 3});
}

}  // namespace

class SimplifyTransposesTest : public QObject {
  Q_OBJECT
private slots:
  void two_that_cancel_are_gone_and_two_that_do_not_are_one() {
    compare_lines(graph_of({"a = Transpose x 120", "b = Transpose a 201", "y = Relu b"}, {2, 3, 4}),
                  "y = relu x f32[2, 3, 4]\n");
    compare_lines(graph_of({"a = Transpose x 120", "b = Transpose a 120", "y = Relu b"}, {2, 3, 4}),
                  "b = transpose x order=[2, 0, 1] f32[4, 2, 3]\ny = relu b f32[4, 2, 3]\n");
  }

  void an_output_keeps_its_name() {
    compare_lines(graph_of({"r = Relu x", "a = Transpose r 10", "y = Transpose a 10"}, {2, 3}),
                  "y = relu x f32[2, 3]\n");
    // An input is no other value.
    compare_lines(graph_of({"a = Transpose x 10", "y = Transpose a 10"}, {2, 3}),
                  "y = identity x f32[2, 3]\n");
    // One that is read inside as well is made once.
    compare_lines(graph_of({"r = Relu x", "t = Transpose r 10", "n = Neg t", "y = Transpose n 10"},
                           {2, 3}, {"y", "t"}),
                  "r = relu x f32[2, 3]\ny = neg r f32[2, 3]\n"
                  "t = transpose r order=[1, 0] f32[3, 2]\n");
  }

  void equal_ones_are_written_once() {
    compare_lines(graph_of({"a = Transpose x 021", "b = Transpose x 021", "m = MatMul x a",
                            "n = MatMul x b", "y = Add m n"},
                           {2, 2, 3}),
                  "a = transpose x order=[0, 2, 1] f32[2, 3, 2]\nm = matmul x a f32[2, 2, 2]\n"
                  "n = matmul x a f32[2, 2, 2]\ny = add m n f32[2, 2, 2]\n");
  }

  void element_wise_operators_stand_in_the_order_of_their_neighbours() {
    compare_lines(
        graph_of({"c = GlobalMaxPool x", "t = Transpose x 0231", "b = Add t v", "r = Relu b",
                  "u = Transpose r 0312", "d = MaxPool u", "y = Add d c"},
                 {1, 2, 4, 5}, {"y"}, {{"v", {2}}}, {{"d", {{"kernel_shape", Axes{1, 1}}}}}),
        "c = global_max_pool x f32[1, 2, 1, 1]\nb/ADBC = add x v/ADBC f32[1, 2, 4, 5]\n"
        "u = relu b/ADBC f32[1, 2, 4, 5]\nd = max_pool u pads=[0, 0, 0, 0] f32[1, 2, 4, 5]\n"
        "y = add d c f32[1, 2, 4, 5]\n");
  }

  void axes_go_along() {
    compare_lines(graph_of({"t = Transpose x 0231", "c = Concat t t", "s = Softmax c",
                            "m = ReduceMax s", "y = Transpose m 0312"},
                           {1, 2, 4, 5}, {"y"}, {},
                           {{"c", {{"axis", int64_t(-1)}}},
                            {"s", {{"axis", int64_t(3)}}},
                            {"m", {{"axes", Axes{1}}}}}),
                  "c/ADBC = concat x x axis=1 f32[1, 4, 4, 5]\n"
                  "s/ADBC = softmax c/ADBC axis=1 f32[1, 4, 4, 5]\n"
                  "y = reduce_max s/ADBC axes=[2] f32[1, 4, 1, 5]\n");
  }

  /// Importers name every axis; who builds a graph may leave it to the operator.
  void axes_that_are_not_named_go_along() {
    Graph graph =
        graph_of({"t = Transpose x 021", "s = Softmax t", "y = Transpose s 021"}, {2, 3, 4});
    graph.nodes[1].attributes.erase("axis");
    compare_lines(graph, "y = softmax x axis=1 f32[2, 3, 4]\n");
    graph = graph_of(
        {"e = Exp w", "t = Transpose x 021", "q = QuantizeLinear t e", "y = Transpose q 021"},
        {2, 3, 4}, {"y"}, {{"w", {4}}});
    graph.nodes[2].attributes.erase("axis");
    compare_lines(graph, "e = exp w f32[4]\ny = quantize_linear x e axis=2 u8[2, 3, 4]\n");
  }

  void axes_of_extent_1_that_come_and_go_stop_nothing() {
    compare_lines(
        graph_of({"t = Transpose x 0231", "m = ReduceMean t", "s = Squeeze m", "y = Relu s"},
                 {2, 3, 4, 5}, {"y"}, {}, {{"m", {{"axes", Axes{1, 2}}}}}),
        "m/ADBC = reduce_mean x axes=[2, 3] f32[2, 3, 1, 1]\n"
        "s = reshape m/ADBC shape=[2, 3] f32[2, 3]\ny = relu s f32[2, 3]\n");
  }

  void a_product_reads_a_turned_matrix() {
    compare_lines(graph_of({"t = Transpose x 10", "y = Gemm t w"}, {4, 3}, {"y"}, {{"w", {4, 5}}}),
                  "y = gemm x w transpose_a=1 f32[3, 5]\n");
  }

  void constants_are_turned() {
    Graph graph =
        graph_of({"t = Transpose w 10", "y = Add x t"}, {70, 80}, {"y"}, {{"w", {80, 70}}});
    QVERIFY(!simplify_transposes().apply(graph).value().nodes.empty());
    compare_lines(graph, "y = add x t f32[70, 80]\n");
  }

  void what_would_move_more_stays() {
    // The sum is larger than what is turned; the pool keeps its axes.
    Graph graph = graph_of({"t = Transpose x 10", "y = Add t w"}, {3, 1}, {"y"}, {{"w", {4, 3}}});
    QCOMPARE(simplified(graph), lines_of(graph));
    graph = graph_of({"t = Transpose x 0231", "p = MaxPool t", "y = Transpose p 0312"},
                     {1, 2, 3, 4}, {"y"}, {}, {{"p", {{"kernel_shape", Axes{1, 1}}}}});
    QCOMPARE(simplified(graph), lines_of(graph));
    QVERIFY(counts_of(graph).empty());
  }

  /// Without extents nothing is moved, but two transposes are one.
  void extents_that_are_not_known_are_left_alone() {
    Graph graph = graph_of({"a = Transpose x 10", "r = Relu a", "b = Transpose r 10",
                            "c = Transpose b 10", "y = Transpose c 10"},
                           {2, 3});
    for (Value& value : graph.values) value.type.dims = {{ir::Expr(), ir::int_imm(3)}};
    Graph after = simplify_transposes().apply(graph).value();
    QVERIFY(verify(after));
    QCOMPARE(transposes(after), 2);
    QCOMPARE(after.nodes[1].type, std::string("relu"));
    QCOMPARE(after.value(after.outputs[0]).name, std::string("y"));
    for (Value& value : graph.values) value.type.dims.reset();
    QCOMPARE(to_text(simplify_transposes().apply(graph).value()), to_text(graph));
  }

  void a_network_of_another_format_has_one_transpose_at_its_input() {
    Graph graph = network();
    QCOMPARE(transposes(graph), 20);
    Graph after = simplify_transposes().apply(graph).value();
    QVERIFY(verify(after));
    QCOMPARE(transposes(after), 1);
    QCOMPARE(after.nodes[0].type, std::string("transpose"));
    QCOMPARE(after.nodes[0].inputs, graph.inputs);
    NDArray x = random_array({1, 8, 8, 3}, 3);
    QVERIFY(
        compare(reference_run(after, {x}).value()[0], reference_run(graph, {x}).value()[0], 1e-5)
            .equal);
    PassCounts counts = counts_of(graph);
    QCOMPARE(counts["transposes removed"], int64_t(19));
    QVERIFY(counts["elements no longer moved"] > 0);
    // Nothing but the image is moved.
    QCOMPARE(counts_of(after).size(), size_t(0));
  }

  void counts_come_with_the_stages() {
    auto stages = run_graph_passes(network());
    QVERIFY(stages);
    auto stage = std::ranges::find(*stages, "simplify_transposes", &GraphStage::name);
    QVERIFY(stage != stages->end());
    QCOMPARE(stage->counts.at("transposes removed"), int64_t(19));
    QVERIFY(stages->back().counts.at("kernels") > 0);
  }
};

QTEST_GUILESS_MAIN(SimplifyTransposesTest)
#include "simplify_transposes_test.moc"
