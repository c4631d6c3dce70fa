// Networks of bytes in the accelerator's layouts: which kernels it runs, and why others stay.
#include <QtTest>

#include <algorithm>

#include "engine/compile/offload.h"
#include "engine/compile/optimize.h"
#include "engine/compile/plan.h"
#include "engine/graph/quantization/quantization.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "tests/support/line_models.h"
#include "tests/support/vta_kernels.h"

using namespace tw;
using namespace tw::vta::testing;
using tw::testing::model_of;

namespace {

NDArray random_array(Rng& rng, Shape const& shape) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  for (float& v : array.as<float>()) v = float(rng.normal());
  return array;
}

/// Convolutions with weights of these shapes, one after another, with a relu behind each; of one
/// channel in each group where the second extent is 1. Then an average and a dense layer.
ImportedModel network(std::vector<Shape> const& weights, Shape const& input, int64_t classes) {
  Rng rng(3);
  std::vector<std::string> lines;
  std::map<std::string, NDArray> constants;
  std::string last = "x";
  for (size_t i = 0; i < weights.size(); ++i) {
    std::string n = std::to_string(i);
    lines.push_back("c" + n + " = Conv " + last + " w" + n);
    lines.push_back("r" + n + " = Relu c" + n);
    constants["w" + n] = random_array(rng, weights[i]);
    last = "r" + n;
  }
  lines.insert(lines.end(), {"g = GlobalAveragePool " + last, "f = Flatten g", "y = Gemm f wd bd"});
  constants["wd"] = random_array(rng, {weights.back()[0], classes});
  constants["bd"] = random_array(rng, {classes});
  ImportedModel model = model_of(lines, input);
  model.graph.initializers = constants;
  for (size_t i = 0; i < weights.size(); ++i)
    if (weights[i][1] == 1) model.graph.nodes[2 * i].attributes["group"] = weights[i][0];
  return model;
}

/// relu(conv(c0) + c0), each with a relu: a block of a residual network.
ImportedModel residual_network() {
  Rng rng(9);
  ImportedModel model =
      model_of({"c0 = Conv x w0", "r0 = Relu c0", "c1 = Conv r0 w1", "s1 = Add c1 r0",
                "r1 = Relu s1", "g = GlobalAveragePool r1", "f = Flatten g", "y = Gemm f wd bd"},
               {1, 16, 9, 9});
  model.graph.initializers = {{"w0", random_array(rng, {16, 16, 3, 3})},
                              {"w1", random_array(rng, {16, 16, 3, 3})},
                              {"wd", random_array(rng, {16, 10})},
                              {"bd", random_array(rng, {10})}};
  for (ForeignNode& node : model.graph.nodes)
    if (node.op_type == "Conv") node.attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
  return model;
}

struct Row {
  std::string name, reason;
};

/// The kernels of the network in bytes, all of it quantized.
std::vector<Row> kernels_of(ImportedModel const& model, char const* board) {
  Graph graph = build_graph(model).value();
  Rng rng(5);
  CalibrationData data{{{random_array(rng, *graph.value(graph.inputs[0]).shape())}}};
  Graph bytes =
      quantize(graph, data, {.first = true, .dense = true, .depthwise = true}).value().graph;
  auto backend = backend_of(*vta::find_board(board));
  Graph fused = optimize(bytes, *backend).value();
  Plan plan = make_plan(fused).value();
  std::vector<Row> rows;
  Offload offloaded = offload(fused, plan, *backend, "home", "there").value();
  for (OffloadedKernel const& one : offloaded.kernels)
    rows.push_back({one.name, one.stays_because});
  return rows;
}

Row find(std::vector<Row> const& rows, std::string const& name) {
  auto found =
      std::ranges::find_if(rows, [&](Row const& row) { return row.name.starts_with(name); });
  return found == rows.end() ? Row{"", "there is no such kernel"} : *found;
}

}  // namespace

class NetworksTest : public QObject {
  Q_OBJECT
private slots:
  void from_the_first_full_block_to_the_classes_all_runs_there() {
    // 7 x 7 = 49 elements are averaged; 10 classes fill more than half a block.
    std::vector<Row> rows =
        kernels_of(network({{16, 16, 3, 3}, {32, 16, 1, 1}}, {1, 16, 9, 9}, 10), "pynq");
    for (char const* name : {"conv_integer_16", "conv_integer_32", "matmul_integer_10_add"})
      QCOMPARE(QString::fromStdString(find(rows, name).reason), QString());
    // Windows are computed in accumulators, into which this board loads no bytes.
    std::string windows = find(rows, "sum_pool_32x1x1_7x7_requantize").reason;
    QVERIFY2(windows.find("acc8 = no") != std::string::npos, windows.c_str());
    rows = kernels_of(network({{16, 16, 3, 3}, {32, 16, 1, 1}}, {1, 16, 9, 9}, 10), "sim");
    for (char const* name : {"conv_integer_16", "conv_integer_32", "sum_pool_32x1x1_7x7_requantize",
                             "matmul_integer_10_add"})
      QCOMPARE(QString::fromStdString(find(rows, name).reason), QString());
  }

  /// A block whose input is added to its sums: where bytes cannot be loaded there, another
  /// processor widens them, and the convolution is the accelerator's all the same.
  void a_residual_is_widened_at_home_where_the_accelerator_cannot() {
    for (char const* name : {"pynq", "sim"}) {
      std::vector<Row> rows = kernels_of(residual_network(), name);
      QVERIFY2(find(rows, "conv_integer_16x9x9_3x3_add").reason.empty(),
               find(rows, "conv_integer_16x9x9_3x3_add").reason.c_str());
      bool apart = std::ranges::any_of(rows, [](Row const& row) {
        return row.name.starts_with("widen") && row.reason.find("is i32") != std::string::npos;
      });
      QCOMPARE(apart, std::string(name) == "pynq");
    }
  }

  /// Weights whose channels have steps of their own, and a residual that comes into those steps:
  /// one kernel there, which shifts by what tensors say.
  void channels_with_steps_of_their_own_run_there() {
    ImportedModel model = residual_network();
    for (char const* name : {"w0", "w1"})
      for (int64_t i = 0; i < 16 * 144; ++i) {
        NDArray& weights = model.graph.initializers.at(name);
        weights.set_value(i, std::ldexp(weights.value_at(i), -int(i / 144 % 5)));
      }
    for (char const* board : {"pynq", "sim", "de10nano"}) {
      std::vector<Row> rows = kernels_of(model, board);
      auto is_joined = [](Row const& row) {
        return row.name.starts_with("conv_integer") &&
               row.name.find("shift_right_add") != std::string::npos &&
               row.name.ends_with("add_shift_right_requantize");
      };
      QVERIFY(std::ranges::any_of(rows, is_joined));
      for (Row const& row : rows)
        if (row.name.starts_with("conv_integer")) QCOMPARE(row.reason, std::string());
    }
  }

  void a_residual_that_is_widened_apart_computes_the_same() {
    Graph graph = build_graph(residual_network()).value();
    Rng rng(5);
    CalibrationData data{{{random_array(rng, {1, 16, 9, 9})}}};
    Graph bytes = quantize(graph, data, {.first = true, .dense = true}).value().graph;
    Graph plain = optimize(bytes).value();
    Graph apart = optimize(bytes, *backend_of(*vta::find_board("pynq"))).value();
    int alone = 0;
    for (Node const& node : apart.nodes) alone += node.algorithm == "alone";
    QCOMPARE(alone, 1);
    NDArray before = reference_run(plain, data.runs[0]).value()[0];
    NDArray after = reference_run(apart, data.runs[0]).value()[0];
    QVERIFY(std::memcmp(before.data(), after.data(), size_t(before.byte_size())) == 0);
  }

  /// Of a network in bytes what is said is what keeps its products, and not that it is of floats.
  void a_quantized_network_with_few_channels_is_told_why_it_stays() {
    Graph graph = build_graph(network({{4, 4, 3, 3}}, {1, 4, 9, 9}, 4)).value();
    Rng rng(5);
    CalibrationData data{{{random_array(rng, {1, 4, 9, 9})}}};
    auto backend = backend_of(*vta::find_board("pynq"));
    for (bool quantized : {true, false}) {
      Graph model =
          quantized ? quantize(graph, data, {.first = true, .dense = true}).value().graph : graph;
      Graph fused = optimize(model, *backend).value();
      auto offloaded = offload(fused, make_plan(fused).value(), *backend, "home", "there");
      QVERIFY(!offloaded);
      std::string const& said = offloaded.error().message;
      bool first = said.find("quantize the model first") != std::string::npos;
      bool blocks = said.find("blocks of 16 x 16") != std::string::npos;
      QVERIFY2(first == !quantized && blocks == quantized, said.c_str());
    }
  }

  void images_of_a_batch_share_elements() {
    std::vector<Row> rows =
        kernels_of(network({{16, 16, 3, 3}, {32, 16, 1, 1}}, {4, 16, 9, 9}, 10), "pynq-4x8");
    for (char const* name : {"conv_integer_4x16", "conv_integer_4x32", "matmul_integer_4x10"})
      QCOMPARE(QString::fromStdString(find(rows, name).reason), QString());
    // One image does not fill them.
    rows = kernels_of(network({{16, 16, 3, 3}, {32, 16, 1, 1}}, {4, 16, 9, 9}, 2), "pynq-4x8");
    QVERIFY(!find(rows, "matmul_integer").reason.empty());
  }

  void what_stays_between_does_not_keep_its_neighbours() {
    std::vector<Row> rows = kernels_of(
        network({{16, 16, 1, 1}, {16, 1, 3, 3}, {32, 16, 1, 1}}, {1, 16, 9, 9}, 16), "pynq");
    QCOMPARE(QString::fromStdString(find(rows, "conv_integer_16x9x9_1x1").reason), QString());
    QCOMPARE(QString::fromStdString(find(rows, "conv_integer_32x7x7_1x1").reason), QString());
    Row depthwise = find(rows, "conv_integer_16x7x7_3x3");
    QVERIFY2(depthwise.reason.find("blocks of 16 x 16") != std::string::npos,
             depthwise.reason.c_str());
    Row change = find(rows, "change_layout_16x9x9");
    QVERIFY2(change.reason.find("moves single numbers") != std::string::npos,
             change.reason.c_str());
    Row floats = find(rows, "quantize_linear");
    QVERIFY2(floats.reason.find("is f32") != std::string::npos, floats.reason.c_str());
  }
};

QTEST_GUILESS_MAIN(NetworksTest)
#include "networks_test.moc"
