// Models of bytes with scales that are powers of two: what is computed in integers, how exactly,
// and what stays in floats.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "engine/graph/passes.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/quantization/equalize.h"
#include "engine/graph/quantization/quantization.h"
#include "engine/graph/quantization/runs.h"
#include "engine/graph/quantization/samples.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "engine/importers/onnx/quantized_model.h"
#include "engine/importers/onnx/reader.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"
#include "tests/support/line_models.h"

using namespace tw;
using tw::testing::model_of;

namespace {

constexpr uint64_t kSeed = 4711;

int64_t number_from(char const* variable, int64_t otherwise) {
  return qEnvironmentVariableIsSet(variable) ? qEnvironmentVariableIntValue(variable) : otherwise;
}
uint64_t const kFirstModel = uint64_t(number_from("TW_TEST_SEED", kSeed));
int const kRandomModels = int(number_from("TW_RANDOM_MODELS", 60));

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

NDArray random_array(Rng& rng, Shape const& shape, double deviation = 1) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  for (float& v : array.as<float>()) v = float(rng.normal() * deviation);
  return array;
}

NDArray scalar(DType type, double value) {
  NDArray array = NDArray::create(type, {}).value();
  array.set_value(0, value);
  return array;
}

ImportedModel small_resnet() {
  return build_resnet({.name = "small", .blocks = {1, 1}, .width = 8, .image = 33, .classes = 5});
}

CalibrationData data_for(Graph const& graph, uint64_t seed, int runs = 2) {
  CalibrationData data;
  Rng rng(seed);
  for (int i = 0; i <= runs; ++i) {
    std::vector<NDArray> inputs;
    for (ValueId id : graph.inputs) inputs.push_back(random_array(rng, *graph.value(id).shape()));
    (i < runs ? data.runs : data.checks).push_back(inputs);
  }
  return data;
}

std::map<std::string, int> counts_of(Graph const& graph) {
  std::map<std::string, int> counts;
  for (Node const& node : graph.nodes) ++counts[node.type];
  return counts;
}

bool same_bytes(std::vector<NDArray> const& a, std::vector<NDArray> const& b) {
  return std::ranges::equal(a, b, [](NDArray const& x, NDArray const& y) {
    return x.type() == y.type() && x.shape() == y.shape() &&
           std::memcmp(x.data(), y.data(), size_t(x.byte_size())) == 0;
  });
}

Graph lowered(Graph const& graph) {
  Graph integers = lower_quantized().apply(graph).value();
  return fold_constants().apply(integers).value();
}

QuantizedNode const* find(Quantized const& quantized, std::string const& name) {
  auto found = std::ranges::find(quantized.nodes, name, &QuantizedNode::name);
  return found == quantized.nodes.end() ? nullptr : &*found;
}

/// Windows of 4 or 9 elements, with zeros where they go beyond the image, which keeps its extents.
void average_in_place(ForeignNode& node, int64_t extent) {
  node.attributes["kernel_shape"] = std::vector<int64_t>{extent, extent};
  node.attributes["pads"] = std::vector<int64_t>{extent - 2, extent - 2, 1, 1};
  node.attributes["count_include_pad"] = int64_t(1);
}

/// Convolutions, sums, pools and relus in a chain with branches, all of 4 or 8 channels; behind the
/// average of all, in one of two, a dense layer.
ImportedModel random_model(uint64_t seed) {
  Rng rng(seed);
  int64_t channels = rng.below(2) ? 4 : 8;
  std::vector<std::string> lines{"v0 = Conv x w0 b0"}, images{"v0"};
  std::map<std::string, NDArray> constants;
  auto conv = [&](std::string const& n, int64_t from, int64_t kernel) {
    constants["w" + n] =
        random_array(rng, {channels, from, kernel, kernel}, std::ldexp(1, int(rng.below(4)) - 3));
    constants["b" + n] = random_array(rng, {channels}, rng.uniform());
  };
  conv("0", 3, 3);
  int nodes = int(rng.between(3, 9));
  for (int i = 1; i <= nodes; ++i) {
    std::string n = std::to_string(i), from = images[size_t(rng.below(int64_t(images.size())))];
    int64_t kind = rng.below(7);
    if (kind < 3) {
      conv(n, channels, 1);
      lines.push_back("v" + n + " = Conv " + images.back() + " w" + n + " b" + n);
    } else if (kind == 3) {
      lines.push_back("v" + n + " = Add " + images.back() + " " + from);
    } else {
      constexpr char const* kKinds[] = {" = Relu ", " = MaxPool ", " = AveragePool "};
      lines.push_back("v" + n + kKinds[kind - 4] + images.back());
    }
    images.push_back("v" + n);
  }
  bool dense = seed % 4 < 2;
  lines.push_back((dense ? "g = GlobalAveragePool " : "y = GlobalAveragePool ") + images.back());
  if (dense) {
    lines.insert(lines.end(), {"f = Flatten g", "y = Gemm f wd bd"});
    constants["wd"] = random_array(rng, {channels, 5});
    constants["bd"] = random_array(rng, {5});
  }
  ImportedModel model = model_of(lines, {2, 3, 6, 6});
  model.graph.initializers = constants;
  for (ForeignNode& node : model.graph.nodes) {
    if (node.op_type == "MaxPool") node.attributes["kernel_shape"] = std::vector<int64_t>{1, 1};
    if (node.op_type == "AveragePool") average_in_place(node, rng.between(2, 3));
  }
  return model;
}

/// The options with which a random model is quantized.
QuantizeOptions options_for(uint64_t seed) { return {.first = seed % 2 == 0, .dense = true}; }

/// y = Q(relu(conv(DQ(x8), DQ(w8), b))) with these scales and zero points.
ImportedModel one_convolution(double data, double weights, double result, double zero) {
  ImportedModel model = model_of({"q = QuantizeLinear x sx zx", "d = DequantizeLinear q sx zx",
                                  "e = DequantizeLinear w sw zw", "c = Conv d e b", "r = Relu c",
                                  "p = QuantizeLinear r sy zx", "y = DequantizeLinear p sy zx"},
                                 {1, 4, 5, 5});
  Rng rng(kSeed);
  NDArray w = NDArray::create(DType::kI8, {4, 4, 3, 3}).value();
  for (int8_t& v : w.as<int8_t>()) v = int8_t(rng.between(-127, 127));
  model.graph.initializers = {{"sx", scalar(DType::kF32, data)},
                              {"zx", scalar(DType::kI8, zero)},
                              {"w", w},
                              {"sw", scalar(DType::kF32, weights)},
                              {"zw", scalar(DType::kI8, 0)},
                              {"sy", scalar(DType::kF32, result)},
                              {"b", random_array(rng, {4})}};
  return model;
}

}  // namespace

class QuantizationTest : public QObject {
  Q_OBJECT
private slots:
  void a_residual_network_becomes_one_kernel_of_integers_for_each_convolution() {
    Graph graph = build_graph(small_resnet()).value();
    auto quantized = quantize(graph, data_for(graph, kSeed));
    QVERIFY2(quantized, qPrintable(sentence(quantized)));
    Graph fused = optimize(quantized->graph).value();
    std::map<std::string, int> counts = counts_of(fused);
    QCOMPARE(counts["conv"], 1);  // the first one
    QCOMPARE(counts["conv_integer"], 5);
    QCOMPARE(counts["requantize"], 5);
    QCOMPARE(counts["widen"], 2);
    QCOMPARE(counts["quantize_linear"], 1);
    QCOMPARE(counts["dequantize_linear"], 1);
    int kernels = 0;
    for (Group const& group : fused.groups) {
      std::vector<std::string> types;
      for (NodeId id : group.nodes) types.push_back(fused.node(id).type);
      if (std::ranges::count(types, "conv_integer") == 0) continue;
      ++kernels;
      QCOMPARE(std::ranges::count(types, "requantize"), 1);
      QCOMPARE(types.back(), std::string("requantize"));
    }
    QCOMPARE(kernels, 5);
  }

  void a_constant_per_channel_that_is_added_is_a_bias() {
    Graph graph = open_sample("dqn").value();
    CalibrationData data = data_for(graph, kSeed);
    Graph fused = optimize(quantize(graph, data)->graph).value();
    std::map<std::string, int> counts = counts_of(fused);
    QCOMPARE(counts["conv_integer"], 2);
    // From the first convolution to the dense layers nothing is a float.
    QCOMPARE(counts["quantize_linear"], 1);
    QCOMPARE(counts["dequantize_linear"], 1);
    // A number for each pixel is none.
    auto add = std::ranges::find_if(graph.nodes, [](Node const& node) {
      return node.type == "add" && node.name.starts_with("conv2");
    });
    QVERIFY(add != graph.nodes.end());
    Shape const shape = *graph.value(add->outputs[0]).shape();
    Shape const pixels{1, 1, shape[2], shape[3]};
    Value& constant = graph.value(add->inputs[1]);
    QVERIFY(constant.is_constant());
    Rng rng(kSeed);
    constant.constant = random_array(rng, pixels);
    constant.type = tensor_type(DType::kF32, pixels);
    auto other = quantize(graph, data);
    QVERIFY2(other, qPrintable(sentence(other)));
    QCOMPARE(counts_of(optimize(other->graph).value())["dequantize_linear"], 2);
  }

  void integers_compute_bit_for_bit_what_floats_compute_between_the_bytes() {
    Graph graph = build_graph(small_resnet()).value();
    for (bool all : {false, true}) {
      CalibrationData data = data_for(graph, kSeed + 1);
      Quantized quantized = quantize(graph, data, {.first = all, .dense = all}).value();
      auto floats = reference_run(quantized.graph, data.checks[0]).value();
      QVERIFY(same_bytes(reference_run(lowered(quantized.graph), data.checks[0]).value(), floats));
      QVERIFY(same_bytes(quantized.made, floats));
    }
  }

  void random_networks_keep_every_bit_in_integers() {
    int convolutions = 0, sums = 0, averages = 0, dense = 0;
    for (uint64_t seed = kFirstModel; seed < kFirstModel + uint64_t(kRandomModels); ++seed) {
      Graph graph = build_graph(random_model(seed)).value();
      CalibrationData data = data_for(graph, seed);
      auto quantized = quantize(graph, data, options_for(seed));
      if (!quantized && quantized.error().code == "nothing_to_quantize") continue;
      QVERIFY2(quantized, qPrintable(QString("seed %1: ").arg(seed) + sentence(quantized)));
      Graph integers = lowered(quantized->graph);
      QVERIFY2(verify(integers).has_value(), qPrintable(QString("seed %1").arg(seed)));
      auto expected = reference_run(quantized->graph, data.checks[0]).value();
      auto actual = reference_run(integers, data.checks[0]).value();
      bool same = same_bytes(actual, expected);
      if (!same) std::puts((to_text(quantized->graph) + to_text(integers)).c_str());
      QVERIFY2(same, qPrintable(QString("seed %1").arg(seed)));
      QCOMPARE(counts_of(integers)["conv"] + counts_of(integers)["conv_integer"],
               counts_of(quantized->graph)["conv"]);
      convolutions += counts_of(integers)["conv_integer"];
      sums += counts_of(integers)["widen"];
      averages += counts_of(integers)["sum_pool"];
      dense += counts_of(integers)["matmul_integer"];
    }
    qInfo("%d convolutions, %d sums, %d averages, %d dense layers", convolutions, sums, averages,
          dense);
    QVERIFY(convolutions > kRandomModels && sums > kRandomModels / 6);
    QVERIFY(averages > kRandomModels / 6 && dense > kRandomModels / 6);
  }

  void random_networks_are_the_same_in_an_onnx_file() {
    for (uint64_t seed = kFirstModel; seed < kFirstModel + uint64_t(kRandomModels); ++seed) {
      ImportedModel model = random_model(seed);
      Graph graph = build_graph(model).value();
      CalibrationData data = data_for(graph, seed);
      auto quantized = quantize(graph, data, options_for(seed));
      if (!quantized) continue;  // nothing to quantize
      auto written = quantized_model(model, quantized->graph);
      QVERIFY2(written, qPrintable(QString("seed %1: ").arg(seed) + sentence(written)));
      std::set<std::string> names;
      for (ForeignNode const& node : written->graph.nodes)
        QVERIFY2(node.name.empty() || names.insert(node.name).second, node.name.c_str());
      auto again = build_graph(*written);
      QVERIFY2(again, qPrintable(QString("seed %1: ").arg(seed) + sentence(again)));
      QVERIFY2(same_bytes(reference_run(lowered(*again), data.checks[0]).value(), quantized->made),
               qPrintable(QString("seed %1").arg(seed)));
    }
  }

  void a_model_that_has_our_names_is_written_whole() {
    ImportedModel model =
        model_of({"g/factor = Conv x w", "g/half = Relu g/factor", "g = GlobalAveragePool g/half",
                  "f = Flatten g", "y = Gemm f wd"},
                 {1, 4, 3, 3});
    Rng rng(kSeed);
    model.graph.initializers = {{"w", random_array(rng, {4, 4, 1, 1})},
                                {"wd", random_array(rng, {4, 3})}};
    Graph graph = build_graph(model).value();
    CalibrationData data = data_for(graph, kSeed);
    Quantized quantized = quantize(graph, data, {.first = true, .dense = true}).value();
    QCOMPARE(counts_of(quantized.graph)["mul"], 1);
    Graph again = build_graph(quantized_model(model, quantized.graph).value()).value();
    QVERIFY(same_bytes(reference_run(lowered(again), data.checks[0]).value(), quantized.made));
  }

  void weights_of_a_layer_that_is_kept_take_no_factor() {
    Graph graph = build_graph(small_resnet()).value();
    for (bool keep : {false, true}) {
      QuantizeOptions options{.dense = true};
      if (keep) options.keep = {"fc"};
      Quantized quantized = quantize(graph, data_for(graph, kSeed), options).value();
      QCOMPARE(counts_of(quantized.graph)["mul"], keep ? 0 : 1);
      QCOMPARE(counts_of(lowered(quantized.graph))["sum_pool"], keep ? 0 : 1);
    }
  }

  /// y = Gemm(flatten(AveragePool(Relu(Conv(x))))), with windows of `extent` by `extent`.
  void an_average_is_a_sum_where_its_windows_allow_it() {
    auto averaged = [&](int64_t extent, std::vector<int64_t> pads) {
      ImportedModel model = model_of(
          {"c = Conv x w", "r = Relu c", "a = AveragePool r", "f = Flatten a", "y = Gemm f wd"},
          {1, 4, 7, 7});
      int64_t out = (7 + 2 * pads[0] - extent) / extent + 1;
      Rng rng(kSeed);
      model.graph.initializers = {{"w", random_array(rng, {4, 4, 1, 1})},
                                  {"wd", random_array(rng, {4 * out * out, 3})}};
      model.graph.nodes[2].attributes["kernel_shape"] = std::vector<int64_t>{extent, extent};
      model.graph.nodes[2].attributes["strides"] = std::vector<int64_t>{extent, extent};
      model.graph.nodes[2].attributes["pads"] = pads;
      Graph graph = build_graph(model).value();
      CalibrationData data = data_for(graph, kSeed);
      Quantized quantized = quantize(graph, data, {.first = true, .dense = true}).value();
      QuantizedNode const* row = find(quantized, "a");
      bool sums = counts_of(lowered(quantized.graph))["sum_pool"] == 1;
      if (!row || row->is_quantized != sums) return QString("the report and the graph differ");
      return QString::fromStdString(row->reason);
    };
    QCOMPARE(averaged(7, {0, 0, 0, 0}), QString());  // 49 elements: the weights take 64/49
    QCOMPARE(averaged(2, {0, 0, 0, 0}), QString());
    QCOMPARE(averaged(3, {0, 0, 0, 0}), QString());
    QCOMPARE(averaged(3, {1, 1, 1, 1}),
             QString("dividing by the elements of its windows is no shift"));
  }

  void the_result_keeps_at_least_20_decibels() {
    Graph graph = build_graph(small_resnet()).value();
    CalibrationData data = data_for(graph, kSeed + 2);
    Quantized quantized = quantize(graph, data).value();
    QCOMPARE(quantized.outputs.size(), size_t(1));
    double said = quantized.outputs[0].decibels;
    double own =
        signal_to_noise(reference_run(graph, data.checks[0]).value()[0], quantized.made[0]);
    QVERIFY2(own >= 20, qPrintable(QString::number(own)));
    QVERIFY(std::abs(own - said) < 0.1);  // normalizations are folded in one of them
    for (QuantizedNode const& node : quantized.nodes)
      if (node.result) QVERIFY2(node.decibels && *node.decibels > 20, node.name.c_str());
  }

  void an_onnx_file_of_it_reads_back_as_the_same_model() {
    ImportedModel model = small_resnet();
    Graph graph = build_graph(model).value();
    for (bool all : {false, true}) {
      CalibrationData data = data_for(graph, kSeed + 3);
      Quantized quantized = quantize(graph, data, {.first = all, .dense = all}).value();
      auto written = quantized_model(model, quantized.graph);
      QVERIFY2(written, qPrintable(sentence(written)));
      auto read = read_onnx(write_onnx(*written).value(), "file.onnx");
      QVERIFY2(read, qPrintable(sentence(read)));
      auto again = build_graph(*read);
      QVERIFY2(again, qPrintable(sentence(again)));
      QCOMPARE(counts_of(lowered(*again))["conv_integer"], all ? 6 : 5);
      QCOMPARE(counts_of(lowered(*again))["matmul_integer"], all ? 1 : 0);
      QCOMPARE(counts_of(lowered(*again))["sum_pool"], all ? 1 : 0);
      Graph after = optimize(*again).value();
      auto actual = reference_run(after, data.checks[0]).value();
      // A normalization that stayed in the file is folded in another order.
      QVERIFY(all ? same_bytes(actual, quantized.made)
                  : signal_to_noise(quantized.made[0], actual[0]) > 40);
    }
  }

  void only_powers_of_two_without_zero_points_become_integers() {
    auto integers = [](double data, double weights, double result, double zero) {
      Graph graph = build_graph(one_convolution(data, weights, result, zero)).value();
      return counts_of(lowered(graph))["conv_integer"];
    };
    QCOMPARE(integers(0.0625, 0.0078125, 0.25, 0), 1);
    QCOMPARE(integers(0.0625, 0.0078125, 0.25, 3), 0);
    QCOMPARE(integers(0.06, 0.0078125, 0.25, 0), 0);
    QCOMPARE(integers(0.0625, 0.01, 0.25, 0), 0);
    QCOMPARE(integers(0.0625, 0.0078125, 0.3, 0), 0);
    QCOMPARE(integers(0.0625, 0.0078125, 1.0 / 4096, 0), 0);  // finer than the sums
  }

  void a_model_of_somebody_else_differs_by_at_most_a_step_where_floats_round_to_even() {
    Graph graph = build_graph(one_convolution(0.0625, 0.0078125, 0.25, 0)).value();
    Rng rng(kSeed);
    NDArray x = random_array(rng, {1, 4, 5, 5});
    NDArray a = reference_run(graph, {x}).value()[0],
            b = reference_run(lowered(graph), {x}).value()[0];
    for (int64_t i = 0; i < a.size(); ++i) QVERIFY(std::abs(a.value_at(i) - b.value_at(i)) <= 0.25);
  }

  /// What feeds a quantizer may have no operand.
  void constants_may_be_quantized() {
    NDArray extents = NDArray::create(DType::kI64, {1}).value();
    extents.set_value(0, 6);
    for (char const* made : {"c = ConstantOfShape n", "c = Range zero six one"})
      for (double step : {1.0, 0.3}) {
        ImportedModel model = model_of(
            {made, "q = QuantizeLinear c s z", "d = DequantizeLinear q s z", "y = Add d x"}, {6});
        model.graph.initializers = {{"n", extents},
                                    {"s", scalar(DType::kF32, step)},
                                    {"z", scalar(DType::kI8, 0)},
                                    {"zero", scalar(DType::kF32, 0)},
                                    {"six", scalar(DType::kF32, 6)},
                                    {"one", scalar(DType::kF32, 1)}};
        auto graph = build_graph(model);
        QVERIFY2(graph, qPrintable(sentence(graph)));
        Rng rng(kSeed);
        NDArray x = random_array(rng, {6});
        QVERIFY(same_bytes(reference_run(*graph, {x}).value(),
                           reference_run(lowered(*graph), {x}).value()));
      }
  }

  /// x + NaN is NaN, whatever steps x has.
  void a_number_that_is_no_number_is_added_in_floats() {
    ImportedModel model = one_convolution(0.0625, 0.0078125, 0.25, 0);
    for (ForeignNode& node : model.graph.nodes)
      if (node.op_type == "Relu") node.op_type = "Add", node.inputs.push_back("nan");
    model.graph.initializers["nan"] = scalar(DType::kF32, NAN);
    Graph graph = build_graph(model).value();
    QCOMPARE(counts_of(lowered(graph))["conv_integer"], 0);
  }

  void operators_of_quantized_operands_are_floats_between_bytes() {
    ImportedModel whole =
        model_of({"q = QuantizeLinear x sx zx", "p = QLinearConv q sx zx w sw zw sy zy b",
                  "y = DequantizeLinear p sy zy"},
                 {1, 4, 5, 5});
    ImportedModel parts = one_convolution(0.05, 0.01, 0.3, 3);
    whole.graph.initializers = parts.graph.initializers;
    NDArray bias = NDArray::create(DType::kI32, {4}).value();
    for (int64_t i = 0; i < 4; ++i) bias.set_value(i, double(100 * i - 150));
    NDArray floats = NDArray::create(DType::kF32, {4}).value();
    for (int64_t i = 0; i < 4; ++i)
      floats.set_value(i, float(bias.value_at(i)) * (float(0.05) * float(0.01)));
    whole.graph.initializers["b"] = bias;
    parts.graph.initializers["b"] = floats;
    whole.graph.initializers["zy"] = scalar(DType::kI8, 3);
    std::erase_if(parts.graph.nodes,
                  [](ForeignNode const& node) { return node.op_type == "Relu"; });
    for (ForeignNode& node : parts.graph.nodes) std::ranges::replace(node.inputs, "r", "c");
    Rng rng(kSeed);
    NDArray x = random_array(rng, {1, 4, 5, 5});
    auto one = build_graph(whole);
    QVERIFY2(one, qPrintable(sentence(one)));
    QVERIFY(same_bytes(reference_run(*one, {x}).value(),
                       reference_run(build_graph(parts).value(), {x}).value()));
    // The same with powers of two becomes integers.
    whole.graph.initializers["sx"] = scalar(DType::kF32, 0.0625);
    whole.graph.initializers["sw"] = scalar(DType::kF32, 0.0078125);
    whole.graph.initializers["sy"] = scalar(DType::kF32, 0.25);
    whole.graph.initializers["zx"] = whole.graph.initializers["zy"] = scalar(DType::kI8, 0);
    Graph integers = lowered(build_graph(whole).value());
    QCOMPARE(counts_of(integers)["conv_integer"], 1);
    QCOMPARE(counts_of(integers)["conv"], 0);
  }

  void a_product_of_quantized_matrices_is_rounded_to_even_and_clamped() {
    ImportedModel model = model_of(
        {"a = QuantizeLinear x s z", "p = QLinearMatMul a s z w s z t z", "y = Cast p"}, {2, 2});
    model.graph.nodes[2].attributes["to"] = int64_t(1);
    NDArray w = NDArray::create(DType::kU8, {2, 2}).value();
    for (int64_t i = 0; i < 4; ++i) w.set_value(i, double(i + 1));  // 1 2 / 3 4
    model.graph.initializers = {{"s", scalar(DType::kF32, 1)},
                                {"t", scalar(DType::kF32, 2)},
                                {"z", scalar(DType::kU8, 1)},
                                {"w", w}};
    NDArray x = NDArray::create(DType::kF32, {2, 2}).value();
    double const values[] = {1, 1, 300, 2};
    for (int64_t i = 0; i < 4; ++i) x.set_value(i, values[i]);
    auto graph = build_graph(model);
    QVERIFY2(graph, qPrintable(sentence(graph)));
    NDArray y = reference_run(*graph, {x}).value()[0];
    // Less the zero point: (1 1; 254 2) times (0 1; 2 3) is (2 4; 4 260); halved, and one more.
    QCOMPARE(y.value_at(0), 2.0);
    QCOMPARE(y.value_at(1), 3.0);
    QCOMPARE(y.value_at(2), 3.0);
    QCOMPARE(y.value_at(3), 131.0);
  }

  void steps_are_chosen_by_the_least_mean_square_error() {
    Rng rng(kSeed);
    for (int round = 0; round < 50; ++round) {
      NDArray array = random_array(rng, {2000}, std::ldexp(1, int(rng.below(20)) - 10));
      std::span<float> elements = array.as<float>();
      if (round % 2) elements[0] *= float(rng.between(1, 300));  // one far out
      double largest = 0;
      for (float v : elements) largest = std::max(largest, std::abs(double(v)));
      auto error = [&](int exponent) {
        double step = std::ldexp(1, exponent), total = 0;
        for (double v : elements) {
          double near = std::clamp(std::nearbyint(v / step), -127.0, 127.0) * step;
          total += (v - near) * (v - near);
        }
        return total;
      };
      int best = best_exponent(elements, largest, 127);
      for (int other = best - 3; other <= best + 3; ++other)
        QVERIFY2(error(best) <= error(other), qPrintable(QString("round %1").arg(round)));
    }
    QCOMPARE(best_exponent({}, 0, 127), 0);
  }

  void the_report_says_what_stays_in_floats_and_why() {
    Graph graph = build_graph(small_resnet()).value();
    Quantized quantized =
        quantize(graph, data_for(graph, kSeed), {.keep = {"layer1.0.conv2"}}).value();
    auto reason = [&](char const* name) {
      QuantizedNode const* node = find(quantized, name);
      return node ? QString::fromStdString(node->reason) : QString("no such row");
    };
    QCOMPARE(reason("conv1"), QString("it reads the model's input, whose channels are few"));
    QCOMPARE(reason("fc"), QString("it is a dense layer"));
    QCOMPARE(reason("layer1.0.conv2"), QString("it is kept as it is"));
    QCOMPARE(reason("layer1.0.add"), QString("no int8 convolution produces its operands"));
    QCOMPARE(reason("avgpool"), QString("nothing behind it reads bytes"));
    QVERIFY(find(quantized, "layer1.0.conv1")->is_quantized);
    QVERIFY(!find(quantized, "layer1.0.conv2")->is_quantized);
  }

  /// Each channel has weights of its own size: one step for all of them loses the small ones.
  void each_channel_has_a_step_for_its_weights() {
    ImportedModel model =
        model_of({"c = Conv x w", "d = Conv c wd", "y = Conv d wy"}, {1, 8, 9, 9});
    Rng rng(kSeed);
    NDArray alone = random_array(rng, {8, 1, 3, 3});
    for (int64_t i = 0; i < alone.size(); ++i)
      alone.set_value(i, std::ldexp(alone.value_at(i), -int(i / 9)));
    NDArray together = random_array(rng, {8, 8, 1, 1});  // to which all channels bring as much
    for (int64_t i = 0; i < together.size(); ++i)
      together.set_value(i, std::ldexp(together.value_at(i), int(i % 8)));
    model.graph.initializers = {
        {"w", random_array(rng, {8, 8, 1, 1})}, {"wd", alone}, {"wy", together}};
    model.graph.nodes[1].attributes["group"] = int64_t(8);
    Graph graph = build_graph(model).value();
    CalibrationData data = data_for(graph, kSeed);
    QuantizeOptions options{.first = true, .keep = {"y"}};
    Quantized floats = quantize(graph, data, options).value();
    QCOMPARE(find(floats, "d")->reason,
             std::string("it multiplies each channel alone, which no accelerator does"));
    QVERIFY(find(floats, "c")->is_quantized && !find(floats, "d")->is_quantized);
    options.depthwise = options.one_weight_step = true;
    Quantized one_step = quantize(graph, data, options).value();
    options.one_weight_step = false;
    Quantized bytes = quantize(graph, data, options).value();
    QuantizedNode const& d = *find(bytes, "d");
    QVERIFY(d.is_quantized && *d.finest_weights <= *d.weights - 5);
    QCOMPARE(find(one_step, "d")->finest_weights, find(one_step, "d")->weights);
    QVERIFY2(d.reason.find("32 bits") == std::string::npos, d.reason.c_str());
    double before = one_step.outputs[0].decibels, after = bytes.outputs[0].decibels;
    qInfo("%.1f dB with one step, %.1f with one for each channel", before, after);
    QVERIFY(after > before + 3);
    // Each sum is shifted by the places of its channel, and the file says the same.
    QVERIFY(std::ranges::any_of(lowered(bytes.graph).nodes,
                                [](Node const& node) { return node.type == "shift_right"; }));
    ImportedModel written = quantized_model(model, bytes.graph).value();
    QCOMPARE(written.opsets.at(""), int64_t(13));
    Graph again = build_graph(written).value();
    QVERIFY(same_bytes(reference_run(lowered(again), data.checks[0]).value(), bytes.made));
  }

  /// Rounding weights moves the mean of what they make; the bias takes it back.
  void means_are_kept_by_biases() {
    ImportedModel model = model_of({"c = Conv x w", "r = Relu c", "y = Conv r wy"}, {1, 16, 9, 9});
    Rng rng(kSeed);
    model.graph.initializers = {{"w", random_array(rng, {16, 16, 3, 3})},
                                {"wy", random_array(rng, {16, 16, 3, 3})}};
    Graph graph = build_graph(model).value();
    CalibrationData data = data_for(graph, kSeed, 4);
    // Three bits: weights that are rounded far.
    Quantized quantized = quantize(graph, data, {.first = true, .weight_bits = 3}).value();
    double off = 0, all = 0;
    for (int64_t c = 0; c < 16; ++c) {
      double wanted = 0, made = 0;
      for (std::vector<NDArray> const& run : data.runs) {
        NDArray expected = reference_run(graph, run).value()[0];
        NDArray actual = reference_run(quantized.graph, run).value()[0];
        for (int64_t i = c * expected.size() / 16; i < (c + 1) * expected.size() / 16; ++i)
          wanted += expected.value_at(i), made += actual.value_at(i);
      }
      off += (wanted - made) * (wanted - made), all += wanted * wanted;
    }
    qInfo("means: %.1f dB", 10 * std::log10(all / off));
    QVERIFY(off < all * 1e-3);
  }

  /// Steps of u8 are half as coarse; only what is never negative has them, whatever comes in.
  void data_that_is_never_negative_is_unsigned_where_that_is_asked_for() {
    ImportedModel model =
        model_of({"c = Conv x w", "r = Relu c", "m = MaxPool r", "y = Conv m wy"}, {1, 8, 9, 9});
    Rng rng(kSeed);
    model.graph.initializers = {{"w", random_array(rng, {8, 8, 3, 3})},
                                {"wy", random_array(rng, {8, 8, 1, 1})}};
    model.graph.nodes[2].attributes["kernel_shape"] = std::vector<int64_t>{2, 2};
    Graph graph = build_graph(model).value();
    CalibrationData data = data_for(graph, kSeed);
    Quantized plain = quantize(graph, data, {.first = true}).value();
    Quantized finer = quantize(graph, data, {.first = true, .unsigned_data = true}).value();
    auto type = [](Quantized const& one, std::string const& name) {
      for (Value const& value : one.graph.values)
        if (value.name == name + "/quantized") return *value.type.dtype;
      return DType::kBool;
    };
    for (char const* name : {"r", "m"}) {
      QCOMPARE(type(plain, name), DType::kI8);
      QCOMPARE(type(finer, name), DType::kU8);
    }
    for (char const* name : {"x", "y"}) QCOMPARE(type(finer, name), DType::kI8);
    QCOMPARE(*find(finer, "c")->result, *find(plain, "c")->result - 1);
    QVERIFY(finer.outputs[0].decibels > plain.outputs[0].decibels);
    for (QuantizedNode const& node : finer.nodes)
      QVERIFY2(node.reason.empty(), node.reason.c_str());
  }

  /// Channels of every size behind one another: what one convolution has too small, the next one
  /// has too large.
  void channels_are_made_alike_where_that_is_better() {
    ImportedModel model = model_of(
        {"c = Conv x w b", "r = Relu c", "d = Conv r wd bd", "y = Conv d wy"}, {1, 8, 9, 9});
    Rng rng(kSeed);
    auto scaled = [&](Shape const& shape, auto exponent) {
      NDArray array = random_array(rng, shape);
      for (int64_t i = 0; i < array.size(); ++i)
        array.set_value(i, std::ldexp(array.value_at(i), exponent(i)));
      return array;
    };
    model.graph.initializers = {
        {"w", scaled({8, 8, 1, 1}, [](int64_t i) { return int(i / 8) - 4; })},
        {"b", scaled({8}, [](int64_t i) { return int(i) - 4; })},
        {"wd", scaled({8, 1, 3, 3}, [](int64_t i) { return 4 - 2 * int(i / 9); })},
        {"bd", random_array(rng, {8})},
        {"wy", scaled({8, 8, 1, 1}, [](int64_t i) { return int(i % 8); })}};
    model.graph.nodes[2].attributes["group"] = int64_t(8);
    Graph graph = build_graph(model).value();
    CalibrationData data = data_for(graph, kSeed);
    GraphSamples samples = take_samples(graph, data, {}).value();
    Equalized level = equalized(graph, {NodeId{0}, NodeId{2}, NodeId{3}}, samples);
    QCOMPARE(level.pairs, (std::map<NodeId, NodeId>{{{2}, {0}}, {{3}, {2}}}));
    QVERIFY(same_bytes(reference_run(graph, data.runs[0]).value(),
                       reference_run(level.graph, data.runs[0]).value()));
    QVERIFY(equalized(graph, {NodeId{0}, NodeId{3}}, samples).pairs.empty());
    samples = take_samples(level.graph, data, {}).value();
    QVERIFY(equalized(level.graph, {NodeId{0}, NodeId{2}, NodeId{3}}, samples).pairs.empty());
    QuantizeOptions options{.first = true, .depthwise = true};
    Quantized quantized = quantize(graph, data, options).value();
    qInfo("%.1f dB", quantized.outputs[0].decibels);
    QVERIFY(quantized.outputs[0].decibels > 25);
    QCOMPARE(find(quantized, "y")->reason,
             std::string("its channels took powers of two from those of d"));
    // The file has the weights that were scaled, and says the same.
    Graph again = build_graph(quantized_model(model, quantized.graph).value()).value();
    QVERIFY(same_bytes(reference_run(lowered(again), data.checks[0]).value(), quantized.made));
  }

  void calibration_inputs_of_another_batch_are_several_runs() {
    Graph graph = build_graph(model_of({"y = Relu x"}, {2, 4, 9, 9})).value();
    Rng rng(kSeed);
    NDArray six = random_array(rng, {6, 4, 9, 9});
    auto runs = runs_of(graph, {six});
    QCOMPARE(runs->size(), size_t(3));
    for (size_t k = 0; k < 3; ++k) {
      QCOMPARE((*runs)[k][0].shape(), (Shape{2, 4, 9, 9}));
      QVERIFY(std::memcmp((*runs)[k][0].data(), six.as<float>().data() + k * 2 * 4 * 81,
                          2 * 4 * 81 * sizeof(float)) == 0);
    }
    QCOMPARE(runs_of(graph, {random_array(rng, {2, 4, 9, 9})})->size(), size_t(1));
    for (Shape const& wrong : {Shape{3, 4, 9, 9}, Shape{4, 4, 9, 8}, Shape{4, 9, 9}, Shape{}})
      QCOMPARE(runs_of(graph, {NDArray::create(DType::kF32, wrong).value()}).error().code,
               std::string("wrong_input"));
  }

  void extents_that_were_fixed_are_written() {
    ImportedModel model = model_of({"y = Conv x w"}, {1, 4, 9, 9});
    Rng rng(kSeed);
    model.graph.initializers = {{"w", random_array(rng, {4, 4, 3, 3})}};
    for (ForeignValue& input : model.graph.inputs)
      if (input.dims) (*input.dims)[0] = {std::nullopt, "batch"};
    Graph graph = build_graph(model, {.fixed = {{"x", {2, 4, 9, 9}}}, .known = {}}).value();
    Quantized quantized = quantize(graph, data_for(graph, kSeed), {.first = true}).value();
    Graph again = build_graph(quantized_model(model, quantized.graph).value()).value();
    QCOMPARE(again.value(again.inputs[0]).shape(), std::optional(Shape{2, 4, 9, 9}));
  }

  /// Opset 10 brings what quantized models need, 13 a step for each channel.
  void a_model_of_opset_9_is_written_as_one_of_13() {
    ImportedModel model = small_resnet();
    for (auto& [domain, version] : model.opsets) version = 9;
    // What takes its axes and bounds in another way since.
    model.graph.nodes.push_back({"cut",
                                 "Slice",
                                 {},
                                 {model.graph.outputs[0].name},
                                 {"cut"},
                                 {{"starts", std::vector<int64_t>{1}},
                                  {"ends", std::vector<int64_t>{4}},
                                  {"axes", std::vector<int64_t>{1}}}});
    model.graph.nodes.push_back(
        {"clip", "Clip", {}, {"cut"}, {"clipped"}, {{"min", -0.5}, {"max", 1.5}}});
    model.graph.outputs = {{"clipped", ForeignKind::kTensor, DType::kF32, {}}};
    Graph graph = build_graph(model).value();
    CalibrationData data = data_for(graph, kSeed);
    Quantized quantized = quantize(graph, data).value();
    ImportedModel written = quantized_model(model, quantized.graph).value();
    for (auto& [domain, version] : written.opsets) QCOMPARE(version, int64_t(13));
    Graph again = build_graph(read_onnx(write_onnx(written).value()).value()).value();
    std::vector<NDArray> inputs = data_for(graph, kSeed + 1).runs[0];
    QVERIFY(same_bytes(reference_run(again, inputs).value(),
                       reference_run(quantized.graph, inputs).value()));
    // With one step for all channels 10 is enough, which has Clip as it was.
    quantized = quantize(graph, data, {.one_weight_step = true}).value();
    written = quantized_model(model, quantized.graph).value();
    for (auto& [domain, version] : written.opsets) QCOMPARE(version, int64_t(10));
    again = build_graph(written).value();
    QVERIFY(same_bytes(reference_run(again, inputs).value(),
                       reference_run(quantized.graph, inputs).value()));
    model.graph.nodes.push_back({"s", "Upsample", {}, {"x"}, {"unused"}, {}});
    auto refused = quantized_model(model, quantized.graph);
    QVERIFY(!refused && refused.error().message.find("Upsample") != std::string::npos);
  }

  void what_cannot_be_quantized_is_said_in_a_sentence() {
    Graph graph = build_graph(small_resnet()).value();
    auto code = [&](Graph const& one, CalibrationData const& data, QuantizeOptions const& options) {
      auto result = quantize(one, data, options);
      return QString::fromStdString(result ? "" : result.error().code);
    };
    CalibrationData data = data_for(graph, kSeed, 1);
    QCOMPARE(code(graph, {}, {}), QString("no_calibration_data"));
    QCOMPARE(code(graph, data, {.weight_bits = 9}), QString("bad_weight_bits"));
    QCOMPARE(code(graph, data, {.keep = {"nobody"}}), QString("unknown_node"));
    Graph other = build_graph(model_of({"y = Relu x"}, {2, 3})).value();
    QCOMPARE(code(other, data_for(other, 1, 1), {}), QString("nothing_to_quantize"));
    CalibrationData wrong = data;
    wrong.runs[0][0] = scalar(DType::kF32, 1);
    QCOMPARE(code(graph, wrong, {}), QString("wrong_input"));
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(code(graph, data, {.stop = stop.get_token()}), QString("cancelled"));
    ImportedModel old = small_resnet();
    Quantized quantized = quantize(graph, data).value();
    old.opsets[""] = 8;
    QCOMPARE(quantized_model(old, quantized.graph).error().code, std::string("old_opset"));
    old.format = "";
    QCOMPARE(quantized_model(old, quantized.graph).error().code, std::string("unwritable_format"));
  }
};

QTEST_GUILESS_MAIN(QuantizationTest)
#include "quantization_test.moc"
