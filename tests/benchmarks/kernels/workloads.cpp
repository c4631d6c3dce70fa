#include "tests/benchmarks/kernels/workloads.h"

#include <algorithm>
#include <cmath>

#include "engine/support/base/random.h"

namespace tw::bench {
namespace {

Workload convolution(std::string name, int64_t image, int64_t channels, int64_t filters,
                     int64_t window, int64_t stride) {
  return {.name = std::move(name),
          .image = image,
          .channels = channels,
          .filters = filters,
          .window = window,
          .stride = stride};
}

Workload depthwise(std::string name, int64_t image, int64_t channels, int64_t stride) {
  Workload workload = convolution(std::move(name), image, channels, channels, 3, stride);
  workload.groups = channels;
  return workload;
}

std::vector<Workload> make_workloads() {
  std::vector<Workload> all = {convolution("C1", 224, 3, 64, 7, 2),
                               convolution("C2", 56, 64, 64, 3, 1),
                               convolution("C3", 56, 64, 64, 1, 1),
                               convolution("C4", 56, 64, 128, 3, 2),
                               convolution("C5", 56, 64, 128, 1, 2),
                               convolution("C6", 28, 128, 128, 3, 1),
                               convolution("C7", 28, 128, 256, 3, 2),
                               convolution("C8", 28, 128, 256, 1, 2),
                               convolution("C9", 14, 256, 256, 3, 1),
                               convolution("C10", 14, 256, 512, 3, 2),
                               convolution("C11", 14, 256, 512, 1, 2),
                               convolution("C12", 7, 512, 512, 3, 1),
                               depthwise("D1", 112, 32, 1),
                               depthwise("D2", 112, 64, 2),
                               depthwise("D3", 56, 128, 1),
                               depthwise("D4", 56, 128, 2),
                               depthwise("D5", 28, 256, 1),
                               depthwise("D6", 28, 256, 2),
                               depthwise("D7", 14, 512, 1),
                               depthwise("D8", 14, 512, 2),
                               depthwise("D9", 7, 1024, 1)};
  for (int64_t size : {64, 128, 256, 512, 1024, 2048})
    all.push_back({.name = "S" + std::to_string(size), .matrix = size});
  return all;
}

NDArray random_array(Shape const& shape, Rng& rng) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  for (float& value : array.as<float>()) value = float(2 * rng.uniform() - 1);
  return array;
}

ForeignValue declare(std::string name, Shape const& shape) {
  ForeignValue value{std::move(name), ForeignKind::kTensor, DType::kF32, std::vector<ForeignDim>()};
  for (int64_t extent : shape) value.dims->push_back({extent, ""});
  return value;
}

double product_at(Workload const& workload, Operands const& operands, int64_t index) {
  int64_t n = workload.matrix, row = index / n, column = index % n;
  auto a = operands.data.as<float>(), b = operands.weights.as<float>();
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += double(a[row * n + k]) * double(b[k * n + column]);
  return sum;
}

double convolution_at(Workload const& workload, Operands const& operands, int64_t index) {
  int64_t side = workload.output_image(), filter = index / (side * side);
  int64_t top = index / side % side * workload.stride - workload.padding();
  int64_t left = index % side * workload.stride - workload.padding();
  int64_t channels = workload.channels_of_a_group(), window = workload.window;
  int64_t first = filter / (workload.filters / workload.groups) * channels;
  auto data = operands.data.as<float>(), weights = operands.weights.as<float>();
  auto inside = [&](int64_t at) { return at >= 0 && at < workload.image; };
  double sum = 0;
  for (int64_t tap = 0; tap < channels * window * window; ++tap) {
    int64_t row = top + tap / window % window, column = left + tap % window;
    if (!inside(row) || !inside(column)) continue;
    int64_t channel = first + tap / (window * window);
    sum += double(data[(channel * workload.image + row) * workload.image + column]) *
           double(weights[filter * channels * window * window + tap]);
  }
  return sum;
}

}  // namespace

std::vector<Workload> const& all_workloads() {
  static std::vector<Workload> const all = make_workloads();
  return all;
}

Workload const* find_workload(std::string const& name) {
  auto found = std::ranges::find(all_workloads(), name, &Workload::name);
  return found == all_workloads().end() ? nullptr : &*found;
}

Operands random_operands(Workload const& workload, uint64_t seed) {
  Rng rng(seed);
  NDArray data = random_array(workload.data_shape(), rng);
  return {data, random_array(workload.weight_shape(), rng)};
}

ImportedModel model_of(Workload const& workload, NDArray const& weights) {
  ImportedModel model{.format = "onnx", .producer = "Tilewright", .opsets = {{"", 13}}};
  ForeignGraph& graph = model.graph;
  graph.name = workload.name;
  graph.inputs = {declare("data", workload.data_shape())};
  graph.outputs = {declare("output", workload.output_shape())};
  ForeignNode node{workload.name, "Gemm", "", {"data", "weights"}, {"output"}, {}};
  if (workload.is_matrix_product()) {
    graph.inputs.push_back(declare("weights", workload.weight_shape()));
  } else {
    graph.initializers["weights"] = weights;
    node.op_type = "Conv";
    node.attributes["kernel_shape"] = std::vector<int64_t>(2, workload.window);
    node.attributes["strides"] = std::vector<int64_t>(2, workload.stride);
    node.attributes["pads"] = std::vector<int64_t>(4, workload.padding());
    node.attributes["group"] = workload.groups;
  }
  graph.nodes = {node};
  return model;
}

ImportedModel model_inside_network(Workload const& workload, NDArray const& weights) {
  ImportedModel model = model_of(workload, weights);
  auto copy = [&](std::string const& name, std::string const& from, std::string const& to,
                  int64_t channels) {
    NDArray identity = NDArray::create(DType::kF32, {channels, channels, 1, 1}).value();
    std::ranges::fill(identity.as<float>(), 0.0f);
    for (int64_t c = 0; c < channels; ++c) identity.as<float>()[size_t(c * channels + c)] = 1;
    model.graph.initializers[name + "_weights"] = identity;
    ForeignNode node{name, "Conv", "", {from, name + "_weights"}, {to}, {}};
    node.attributes["kernel_shape"] = std::vector<int64_t>(2, 1);
    return node;
  };
  ForeignNode measured = model.graph.nodes[0];
  measured.inputs[0] = "before";
  measured.outputs[0] = "after";
  model.graph.nodes = {copy("first", "data", "before", workload.channels), measured,
                       copy("last", "after", "output", workload.filters)};
  return model;
}

std::vector<NDArray> inputs_of(Workload const& workload, Operands const& operands) {
  if (workload.is_matrix_product()) return {operands.data, operands.weights};
  return {operands.data};
}

double error_of(Workload const& workload, Operands const& operands, float const* values,
                int samples, uint64_t seed) {
  Rng rng(seed);
  int64_t count = 1;
  for (int64_t extent : workload.output_shape()) count *= extent;
  double worst = 0, largest = 1e-30;
  for (int i = 0; i < samples; ++i) {
    int64_t index = rng.below(count);
    double expected = workload.is_matrix_product() ? product_at(workload, operands, index)
                                                   : convolution_at(workload, operands, index);
    double difference = std::abs(double(values[index]) - expected);
    if (std::isnan(difference)) return INFINITY;
    worst = std::max(worst, difference);
    largest = std::max(largest, std::abs(expected));
  }
  return worst / largest;
}

}  // namespace tw::bench
