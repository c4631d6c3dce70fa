#include <QtTest>

#include "engine/graph/passes.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "engine/samples/samples.h"
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

void add_parameter(ImportedModel& model, std::string const& name, Shape const& shape, uint64_t seed,
                   bool positive = false) {
  NDArray array = random_array(shape, seed);
  for (float& v : array.as<float>())
    if (positive) v = std::fabs(v) + 0.5f;
  model.graph.initializers[name] = array;
}

void add_norm(ImportedModel& model, int64_t channels) {
  add_parameter(model, "s", {channels}, 2);
  add_parameter(model, "b", {channels}, 3);
  add_parameter(model, "m", {channels}, 4);
  add_parameter(model, "v", {channels}, 5, true);
}

Result<Graph> after_pass(GraphPass (*pass)(), Graph const& graph) { return pass().apply(graph); }

EdgeDecision const* decision(Graph const& graph, std::string const& from, std::string const& to) {
  for (EdgeDecision const& edge : graph.decisions)
    if (graph.node(edge.from).name == from && graph.node(edge.to).name == to) return &edge;
  return nullptr;
}

QString reason(Graph const& graph, std::string const& from, std::string const& to) {
  EdgeDecision const* edge = decision(graph, from, to);
  return edge ? QString::fromStdString(edge->reason) : QString("no such edge");
}

}  // namespace

class PassesTest : public QObject {
  Q_OBJECT
private slots:
  void a_normalization_after_a_convolution_goes_into_its_weights() {
    for (bool bias : {false, true}) {
      ImportedModel model =
          model_of({bias ? "c = Conv x w cb" : "c = Conv x w", "y = BatchNormalization c s b m v"},
                   {1, 3, 5, 5});
      add_parameter(model, "w", {4, 3, 3, 3}, 1);
      add_parameter(model, "cb", {4}, 9);
      add_norm(model, 4);
      Graph graph = build_graph(model).value();
      Graph after = after_pass(simplify_inference, graph).value();
      QCOMPARE(after.nodes.size(), size_t(1));
      QCOMPARE(after.nodes[0].origins.size(), size_t(2));
      NDArray x = random_array({1, 3, 5, 5}, 7);
      QVERIFY(
          compare(reference_run(after, {x}).value()[0], reference_run(graph, {x}).value()[0], 1e-4)
              .equal);
    }
  }

  void a_normalization_of_a_value_read_twice_becomes_scale_and_shift() {
    ImportedModel model =
        model_of({"c = Conv x w", "n = BatchNormalization c s b m v", "y = Add n c"}, {1, 3, 5, 5});
    add_parameter(model, "w", {4, 3, 3, 3}, 1);
    add_norm(model, 4);
    Graph graph = build_graph(model).value();
    Graph after = after_pass(simplify_inference, graph).value();
    QVERIFY(to_text(after).find("batch_norm") == std::string::npos);
    QCOMPARE(after.nodes.size(), size_t(4));
    NDArray x = random_array({1, 3, 5, 5}, 7);
    QVERIFY(
        compare(reference_run(after, {x}).value()[0], reference_run(graph, {x}).value()[0], 1e-4)
            .equal);
  }

  void copies_disappear_unless_they_make_an_output() {
    Graph graph =
        build_graph(
            model_of({"a = Identity x", "d = Dropout a", "r = Relu d", "y = Identity r"}, {2, 3}))
            .value();
    Graph after = after_pass(simplify_inference, graph).value();
    QCOMPARE(after.nodes.size(), size_t(2));
    NDArray x = random_array({2, 3}, 1);
    QVERIFY(
        compare(reference_run(after, {x}).value()[0], reference_run(graph, {x}).value()[0]).equal);
  }

  void constants_are_folded_and_dead_nodes_dropped() {
    ImportedModel model =
        model_of({"t = Transpose w", "u = Relu t", "dead = Relu x", "y = Add x u"}, {2, 3});
    add_parameter(model, "w", {3, 2}, 1);
    Graph graph = build_graph(model).value();
    Graph after = after_pass(fold_constants, graph).value();
    QCOMPARE(after.nodes.size(), size_t(1));
    NDArray x = random_array({2, 3}, 1);
    QVERIFY(
        compare(reference_run(after, {x}).value()[0], reference_run(graph, {x}).value()[0]).equal);
  }

  void every_edge_says_why_it_was_fused_or_not() {
    ImportedModel model = model_of({"c = Conv x w", "r = Relu c", "p = MaxPool r",
                                    "t = Transpose p", "q = Relu t", "s = Softmax q", "y = Relu s"},
                                   {1, 3, 6, 6});
    model.graph.nodes[2].attributes = {{"kernel_shape", std::vector<int64_t>{3, 3}},
                                       {"strides", std::vector<int64_t>{2, 2}}};
    add_parameter(model, "w", {4, 3, 3, 3}, 1);
    Graph fused = after_pass(fuse_operators, build_graph(model).value()).value();
    QCOMPARE(reason(fused, "c", "r"),
             QString("relu joins conv2d: injective after complex-out-fusable"));
    QCOMPARE(reason(fused, "r", "p"),
             QString("not fused: max_pool reads each element of relu up to 4 times"));
    QCOMPARE(
        reason(fused, "p", "t"),
        QString(
            "not fused: max_pool is a reduction; the operators after it are not fused into it"));
    QCOMPARE(reason(fused, "t", "q"), QString("relu joins transpose: injective after injective"));
    QCOMPARE(reason(fused, "q", "s"), QString("not fused: softmax is opaque and runs on its own"));
    QCOMPARE(fused.decisions.size(), size_t(6));
    QCOMPARE(fused.groups.size(), size_t(5));
  }

  void a_kernel_has_one_complex_operator_and_its_epilogue_keeps_the_size() {
    ImportedModel model = model_of({"a = Conv x w", "b = Conv x v", "s = Add a b", "o = Conv s u",
                                    "g = Add o x", "y = GlobalAveragePool g"},
                                   {1, 4, 6, 6});
    add_parameter(model, "w", {4, 4, 1, 1}, 1);
    add_parameter(model, "v", {4, 4, 1, 1}, 2);
    add_parameter(model, "u", {1, 4, 6, 6}, 3);
    Graph fused = after_pass(fuse_operators, build_graph(model).value()).value();
    QCOMPARE(reason(fused, "a", "s"),
             QString("add joins conv2d: injective after complex-out-fusable"));
    QCOMPARE(
        reason(fused, "b", "s"),
        QString("not fused: add already joined conv2d; a kernel has at most one complex operator"));
    QCOMPARE(reason(fused, "s", "o"), QString("not fused: conv2d is complex-out-fusable: it is "
                                              "fused with operators after it, not before it"));
    QCOMPARE(reason(fused, "o", "g"),
             QString("not fused: add computes a larger tensor than conv2d"));
    QCOMPARE(reason(fused, "g", "y"),
             QString("global_average_pool absorbs add: injective before reduction"));
  }

  /// In a kernel of a convolution it would be computed again for each element.
  void what_is_smaller_than_the_result_stays_out_of_a_complex_kernel() {
    ImportedModel model = model_of(
        {"a = Conv x w", "m = GlobalAveragePool x", "h = Relu m", "y = Add a h"}, {1, 4, 6, 6});
    add_parameter(model, "w", {4, 4, 1, 1}, 1);
    Graph fused = after_pass(fuse_operators, build_graph(model).value()).value();
    QCOMPARE(reason(fused, "a", "y"),
             QString("add joins conv2d: injective after complex-out-fusable"));
    QCOMPARE(reason(fused, "h", "y"), QString("not fused: add computes a larger tensor than relu"));
  }

  void an_output_and_a_value_with_many_readers_stay_in_memory() {
    Graph graph = build_graph(model_of({"a = Relu x", "b = Relu a", "c = Relu a", "d = Add b c",
                                        "y = Relu d"},
                                       {2, 3}, {"y", "d"}))
                      .value();
    Graph fused = after_pass(fuse_operators, graph).value();
    QCOMPARE(reason(fused, "a", "b"),
             QString("not fused: 2 operators read the output of relu, so it must be in memory"));
    QVERIFY(decision(fused, "b", "d")->fused && decision(fused, "c", "d")->fused);
    QCOMPARE(reason(fused, "d", "y"),
             QString("not fused: 'd' is an output of the model, so it must be in memory"));
  }

  void a_long_chain_becomes_kernels_of_bounded_size() {
    std::vector<std::string> lines{"a0 = Relu x"};
    for (int i = 1; i < 100; ++i)
      lines.push_back("a" + std::to_string(i) + " = Relu a" + std::to_string(i - 1));
    Graph graph = build_graph(model_of(lines, {2, 3}, {"a99"})).value();
    Graph fused = after_pass(fuse_operators, graph).value();
    QCOMPARE(fused.groups.size(), size_t(4));
    QCOMPARE(reason(fused, "a31", "a32"),
             QString("not fused: one kernel holds at most 32 operators"));
  }

  void zeros_around_an_image_become_padding_of_its_convolution() {
    auto padded = [](std::string const& mode, double fill, std::vector<int64_t> const& pads) {
      ImportedModel model = model_of({"p = Pad x pads fill", "y = Conv p w"}, {1, 3, 5, 4});
      add_parameter(model, "w", {4, 3, 3, 3}, 1);
      NDArray amounts = NDArray::create(DType::kI64, {8}).value();
      for (int64_t i = 0; i < 8; ++i) amounts.set_value(i, double(pads[size_t(i)]));
      NDArray value = NDArray::create(DType::kF32, {}).value();
      value.set_value(0, fill);
      model.graph.initializers["pads"] = amounts;
      model.graph.initializers["fill"] = value;
      model.graph.nodes[0].attributes["mode"] = mode;
      model.graph.nodes[1].attributes["pads"] = std::vector<int64_t>{1, 0, 1, 0};
      return build_graph(model).value();
    };
    NDArray x = random_array({1, 3, 5, 4}, 3);
    auto nodes = [&](Graph const& graph) {
      Graph simpler = optimize(graph).value();
      bool same = compare(reference_run(simpler, {x}).value()[0],
                          reference_run(graph, {x}).value()[0], 1e-5)
                      .equal;
      return same ? simpler.nodes.size() : 0;
    };
    QCOMPARE(nodes(padded("constant", 0, {0, 0, 1, 2, 0, 0, 0, 1})), size_t(1));
    QCOMPARE(nodes(padded("constant", 1, {0, 0, 1, 2, 0, 0, 0, 1})), size_t(2));
    QCOMPARE(nodes(padded("edge", 0, {0, 0, 1, 2, 0, 0, 0, 1})), size_t(2));
    QCOMPARE(nodes(padded("constant", 0, {0, 0, -1, 0, 0, 0, 0, 0})), size_t(2));
  }

  void bytes_that_a_convolution_makes_are_not_made_wider_by_it() {
    auto scalar = [](DType type, double value) {
      NDArray array = NDArray::create(type, {}).value();
      array.set_value(0, value);
      return array;
    };
    ImportedModel model = model_of(
        {"c = Conv x w", "q = QuantizeLinear c s z", "d = DequantizeLinear q s z", "y = Relu d"},
        {1, 3, 6, 6});
    add_parameter(model, "w", {4, 3, 3, 3}, 1);
    model.graph.initializers["s"] = scalar(DType::kF32, 0.25);
    model.graph.initializers["z"] = scalar(DType::kI8, 0);
    Graph fused = after_pass(fuse_operators, build_graph(model).value()).value();
    QCOMPARE(fused.groups.size(), size_t(2));
    QCOMPARE(reason(fused, "q", "d"),
             QString("not fused: dequantize_linear makes wider numbers of bytes; the bytes take "
                     "less memory"));
  }

  void every_pass_has_a_reason_and_keeps_the_result() {
    ResNetOptions options{.blocks = {1, 1}, .width = 4, .image = 16, .classes = 4};
    Graph graph = build_graph(build_resnet(options)).value();
    NDArray x = random_array({1, 3, 16, 16}, 5);
    NDArray expected = reference_run(graph, {x}).value()[0];
    auto stages = run_graph_passes(graph);
    QVERIFY(stages.has_value());
    QCOMPARE(stages->size(), graph_passes().size());
    for (GraphStage const& stage : *stages)
      QVERIFY2(compare(reference_run(stage.graph, {x}).value()[0], expected, 1e-4).equal,
               stage.name.c_str());
    for (GraphPass const& pass : graph_passes()) QVERIFY(!pass.title.empty() && !pass.why.empty());
  }

  void every_file_is_a_pass_that_runs() {
    QVERIFY(!graph_pass_table().empty());
    for (GraphPassRow const& row : graph_pass_table()) {
      QCOMPARE(row.make().name, row.file);
      QVERIFY2(std::ranges::count(graph_passes(), row.file, &GraphPass::name) > 0,
               qPrintable(QString("%1 stands nowhere in the list").arg(row.file.c_str())));
    }
  }
};

QTEST_GUILESS_MAIN(PassesTest)
#include "passes_test.moc"
