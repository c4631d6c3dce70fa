// Which layouts the CPU asks for.
#include <QtTest>

#include <set>

#include "engine/compile/optimize.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/compiler/layouts.h"
#include "targets/cpu/hardware/detect.h"
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

void add_parameter(ImportedModel& model, std::string const& name, Shape const& shape,
                   uint64_t seed) {
  model.graph.initializers[name] = random_array(shape, seed);
}

/// "w" expands to some channels, "d" is depthwise, "p" projects; node b is the depthwise one.
Graph mobile_block(int64_t channels, std::vector<std::string> const& lines,
                   std::vector<std::string> const& outputs = {"y"}) {
  ImportedModel model = model_of(lines, {1, 3, 6, 5}, outputs);
  add_parameter(model, "w", {channels, 3, 1, 1}, 1);
  add_parameter(model, "wb", {channels}, 2);
  add_parameter(model, "d", {channels, 1, 3, 3}, 3);
  add_parameter(model, "p", {32, channels, 1, 1}, 4);
  add_parameter(model, "slope", {channels, 1, 1}, 5);
  for (ForeignNode& node : model.graph.nodes)
    if (node.name == "b") node.attributes["group"] = channels;
  return build_graph(model).value();
}

Graph optimized(Graph const& graph) {
  static std::shared_ptr<Backend const> const cpu = create_cpu_backend(detect_host()).value();
  return optimize(graph, *cpu).value();
}

/// With answers of its own; the knobs that were asked for.
std::pair<Graph, std::vector<Knob>> arranged(Graph const& graph, Point const& point) {
  static std::shared_ptr<Backend const> const cpu = create_cpu_backend(detect_host()).value();
  Decisions decisions(point);
  Graph result = optimize(graph, *cpu, decisions).value();
  return {std::move(result), decisions.knobs()};
}

QString stored(Graph const& graph, ValueId id) {
  return QString::fromStdString(to_text(stored_info(graph.value(id))->shape));
}

bool has_images_in_blocks(Graph const& graph) {
  return std::ranges::any_of(graph.values, [](Value const& value) {
    return !value.is_constant() && !value.layout.is_plain();
  });
}

}  // namespace

class LayoutsTest : public QObject {
  Q_OBJECT
private slots:
  void channels_around_a_depthwise_convolution_lie_in_blocks() {
    Graph graph = mobile_block(48, {"a = Conv x w wb", "r = Relu a", "b = Conv r d", "s = Relu b",
                                    "c = Conv s p", "y = Relu c"});
    NDArray x = random_array({1, 3, 6, 5}, 6);
    Graph blocked = optimized(graph);
    auto shape_after = [&](size_t node) { return stored(blocked, blocked.nodes[node].outputs[0]); };
    for (size_t node : {0, 1}) QCOMPARE(shape_after(node), QString("1x3x6x5x16"));
    for (size_t node : {2, 3}) QCOMPARE(shape_after(node), QString("1x3x4x3x16"));
    for (size_t node : {4, 5}) QCOMPARE(shape_after(node), QString("1x32x4x3"));
    QCOMPARE(title_of(blocked, blocked.nodes[2]), std::string("depthwise_conv2d"));
    QCOMPARE(changed_bytes(blocked), int64_t(0));
    QCOMPARE(blocked.choices.size(), size_t(2));
    QVERIFY(
        blocked.choices[1].starts_with("4 images around 'a' are stored in blocks of 16 channels"));
    QVERIFY(
        compare(reference_run(blocked, {x}).value()[0], reference_run(graph, {x}).value()[0], 1e-4)
            .equal);
  }

  void channels_stay_plain_where_a_neighbour_reads_them_plain() {
    std::vector<std::string> half{"a = Conv x w wb", "r = Relu a", "b = Conv r d"};
    auto blocks = [&](int64_t channels, std::vector<std::string> const& rest,
                      std::vector<std::string> const& outputs = {"y"}) {
      std::vector<std::string> lines = half;
      lines.insert(lines.end(), rest.begin(), rest.end());
      Graph graph = optimized(mobile_block(channels, lines, outputs));
      return has_images_in_blocks(graph);
    };
    QVERIFY(blocks(48, {"y = Conv b p"}));
    QVERIFY(!blocks(24, {"y = Conv b p"}));              // not in whole blocks
    QVERIFY(!blocks(48, {"y = Relu b"}));                // the model's output
    QVERIFY(!blocks(48, {"y = Conv b p"}, {"y", "b"}));  // another output of the model
    QVERIFY(!blocks(48, {"q = PRelu b slope", "y = Conv q p"}));
    QVERIFY(!blocks(48, {"y = Conv b p", "z = Softmax b"}, {"y", "z"}));
    half[2] = "t = Conv r p";
    QVERIFY(blocks(48, {"y = Relu t"}));  // r, between two dense ones
    QVERIFY(!blocks(24, {"y = Relu t"}));
  }

  void pools_and_joined_channels_keep_their_blocks() {
    auto optimized_lines = [](std::vector<std::string> const& lines) {
      ImportedModel model = model_of(lines, {1, 3, 9, 8}, {"y"});
      add_parameter(model, "w", {32, 3, 3, 3}, 1);
      add_parameter(model, "v", {16, 32, 1, 1}, 2);
      add_parameter(model, "p", {32, 48, 1, 1}, 3);
      for (ForeignNode& node : model.graph.nodes) {
        if (!node.op_type.ends_with("Pool") || node.op_type.starts_with("Global")) continue;
        node.attributes["kernel_shape"] = std::vector<int64_t>{3, 3};
        node.attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
      }
      Graph graph = build_graph(model).value(), blocked = optimized(graph);
      NDArray x = random_array({1, 3, 9, 8}, 4);
      auto expected = reference_run(graph, {x}).value(), got = reference_run(blocked, {x}).value();
      if (!compare(got[0], expected[0], 1e-4).equal) qFatal("another result");
      return blocked;
    };
    Graph joined = optimized_lines({"a = Conv x w", "m = MaxPool a", "b = Conv m v",
                                    "d = AveragePool a", "j = Concat d b", "y = Conv j p"});
    QCOMPARE(changed_bytes(joined), int64_t(0));
    for (size_t node = 0; node + 1 < joined.nodes.size(); ++node)
      QVERIFY2(stored(joined, joined.nodes[node].outputs[0]).endsWith("x16"),
               joined.nodes[node].name.c_str());
    Graph averaged = optimized_lines({"a = Conv x w", "r = Relu a", "y = GlobalAveragePool r"});
    QCOMPARE(stored(averaged, averaged.nodes[1].outputs[0]), QString("1x2x7x6x16"));
    QCOMPARE(stored(averaged, averaged.outputs[0]), QString("1x32x1x1"));
    QVERIFY(!has_images_in_blocks(optimized_lines({"a = Conv x w", "y = MaxPool a"})));
  }

  void a_last_block_of_weights_is_filled_up() {
    ImportedModel model = model_of({"c = Conv x w wb", "y = Relu c"}, {1, 3, 5, 4});
    add_parameter(model, "w", {20, 3, 3, 3}, 1);
    add_parameter(model, "wb", {20}, 2);
    Graph graph = build_graph(model).value(), packed = optimized(graph);
    QCOMPARE(stored(packed, packed.nodes[0].inputs[1]), QString("2x3x3x3x16"));
    QCOMPARE(stored(packed, packed.outputs[0]), QString("1x20x3x2"));
    NDArray x = random_array({1, 3, 5, 4}, 3);
    QVERIFY(
        compare(reference_run(packed, {x}).value()[0], reference_run(graph, {x}).value()[0], 1e-5)
            .equal);
  }

  void a_known_matrix_is_stored_as_it_is_read() {
    ImportedModel model = model_of({"y = Gemm x w"}, {2, 5});
    add_parameter(model, "w", {7, 5}, 1);
    model.graph.nodes[0].attributes["transB"] = int64_t(1);
    Graph graph = build_graph(model).value(), turned = optimized(graph);
    QCOMPARE(stored(turned, turned.nodes[0].inputs[1]), QString("5x7"));
    NDArray x = random_array({2, 5}, 3);
    QVERIFY(
        compare(reference_run(turned, {x}).value()[0], reference_run(graph, {x}).value()[0], 1e-5)
            .equal);
  }

  void every_choice_gives_the_same_results() {
    ImportedModel model = model_of({"a = Conv x w", "r = Relu a", "b = Conv r v", "c = Conv b v",
                                    "d = Conv c e", "y = Conv d p"},
                                   {1, 3, 12, 11});
    add_parameter(model, "w", {32, 3, 3, 3}, 1);
    add_parameter(model, "v", {32, 32, 3, 3}, 2);
    add_parameter(model, "e", {32, 1, 3, 3}, 3);
    add_parameter(model, "p", {8, 32, 1, 1}, 4);
    model.graph.nodes[4].attributes["group"] = int64_t(32);
    Graph graph = build_graph(model).value();
    NDArray x = random_array({1, 3, 12, 11}, 5);
    NDArray expected = reference_run(graph, {x}).value()[0];
    std::vector<Knob> knobs = arranged(graph, {}).second;
    QStringList names;
    for (Knob const& knob : knobs) names << QString::fromStdString(knob.name);
    // The two convolutions of v are one kernel on their two sizes; of one tap there is no choice.
    QCOMPARE(names, QStringList({"channel_block", "a.algorithm", "b.algorithm", "c.algorithm"}));
    std::set<std::string> stored_as;
    for (Knob const& knob : knobs)
      for (std::string const& value : knob.values) {
        Graph other = arranged(graph, {{knob.name, value}}).first;
        QVERIFY2(compare(reference_run(other, {x}).value()[0], expected, 1e-4).equal,
                 (knob.name + "=" + value).c_str());
        std::string how;
        for (Node const& node : other.nodes)
          how += node.algorithm + " " + stored(other, node.outputs[0]).toStdString() + " ";
        stored_as.insert(how);
      }
    QCOMPARE(stored_as.size(), size_t(4 + 3 * 3));
  }

  void convolutions_of_one_kind_share_their_algorithm() {
    ImportedModel model =
        model_of({"a = Conv x w", "b = Conv a v", "y = Conv b v"}, {1, 3, 12, 11});
    add_parameter(model, "w", {16, 3, 1, 1}, 1);
    add_parameter(model, "v", {16, 16, 3, 3}, 2);
    for (size_t node : {1, 2})
      model.graph.nodes[node].attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
    auto [graph, knobs] = arranged(build_graph(model).value(), {{"b.algorithm", "im2col"}});
    QCOMPARE(knobs.size(), size_t(2));
    QCOMPARE(graph.nodes[0].algorithm, std::string());
    for (size_t node : {1, 2}) QCOMPARE(graph.nodes[node].algorithm, std::string("im2col"));
  }

  void smaller_blocks_take_fewer_channels() {
    Graph graph = mobile_block(24, {"a = Conv x w wb", "b = Conv a d", "y = Conv b p"});
    QVERIFY(!has_images_in_blocks(arranged(graph, {}).first));
    QVERIFY(has_images_in_blocks(arranged(graph, {{"channel_block", "8"}}).first));
    QVERIFY(!has_images_in_blocks(arranged(graph, {{"channel_block", "plain"}}).first));
  }

  void without_a_target_all_is_plain() {
    Graph graph = mobile_block(48, {"a = Conv x w wb", "b = Conv a d", "y = Conv b p"});
    Graph plain = optimize(graph).value();
    for (Value const& value : plain.values) QVERIFY(value.layout.is_plain());
    QVERIFY(has_images_in_blocks(optimized(graph)));
  }
};

QTEST_GUILESS_MAIN(LayoutsTest)
#include "layouts_test.moc"
