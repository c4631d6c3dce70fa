#include "engine/samples/model_builder.h"

#include <algorithm>
#include <cmath>

#include "engine/support/base/hash.h"
#include "engine/support/base/random.h"

namespace tw {
namespace {

using Ints = std::vector<int64_t>;

ForeignValue declare(std::string name, Shape const& shape, DType type = DType::kF32) {
  ForeignValue value{std::move(name), ForeignKind::kTensor, type, std::vector<ForeignDim>()};
  for (int64_t extent : shape) value.dims->push_back({extent, ""});
  return value;
}

std::map<std::string, ForeignAttribute> attributes_of(WindowOptions const& window) {
  auto [kernel, stride, pad, groups] = window;
  std::map<std::string, ForeignAttribute> list = {{"kernel_shape", Ints{kernel, kernel}},
                                                  {"strides", Ints{stride, stride}},
                                                  {"pads", Ints{pad, pad, pad, pad}}};
  if (groups != 1) list["group"] = groups;
  return list;
}

}  // namespace

ModelBuilder::ModelBuilder(std::string name, uint64_t seed, std::string input, Shape const& shape,
                           DType type)
    : seed_(seed) {
  model_.format = "onnx";
  model_.producer = "Tilewright";
  model_.opsets = {{"", 13}};
  model_.graph.name = std::move(name);
  model_.graph.inputs = {declare(std::move(input), shape, type)};
}

std::string ModelBuilder::add(std::string const& name, std::string type,
                              std::vector<std::string> inputs,
                              std::map<std::string, ForeignAttribute> attributes) {
  model_.graph.nodes.push_back(
      {name, std::move(type), "", std::move(inputs), {name + ".out"}, std::move(attributes)});
  return name + ".out";
}

std::string ModelBuilder::parameter(std::string const& name, Shape shape, double low, double high) {
  NDArray array = NDArray::create(DType::kF32, std::move(shape)).value();
  Rng rng(Hasher().number(seed_).text(name).finish());
  for (float& v : array.as<float>()) v = float(low + (high - low) * rng.uniform());
  model_.graph.initializers[name] = std::move(array);
  return name;
}

std::string ModelBuilder::weights(std::string const& name, Shape shape, int64_t fan_in,
                                  double gain) {
  double bound = std::sqrt(3.0 * gain / double(fan_in));  // a deviation of bound / sqrt(3)
  return parameter(name, std::move(shape), -bound, bound);
}

std::string ModelBuilder::conv(std::string const& name, std::string const& x, int64_t from,
                               int64_t to, WindowOptions const& window, double gain) {
  int64_t k = window.kernel, inputs = from / window.groups;
  std::string w = weights(name + ".weight", {to, inputs, k, k}, inputs * k * k, gain);
  return add(name, "Conv", {x, w}, attributes_of(window));
}

std::string ModelBuilder::conv_transpose(std::string const& name, std::string const& x,
                                         int64_t from, int64_t to, WindowOptions const& window,
                                         double gain) {
  // An output pixel is reached by kernel / stride taps in each direction.
  int64_t k = window.kernel, taps = std::max<int64_t>(1, k / window.stride);
  std::string w = weights(name + ".weight", {from, to, k, k}, from * taps * taps, gain);
  return add(name, "ConvTranspose", {x, w}, attributes_of(window));
}

std::string ModelBuilder::batch_norm(std::string const& name, std::string const& x,
                                     int64_t channels, double scale) {
  return add(name, "BatchNormalization",
             {x, parameter(name + ".weight", {channels}, 0.8 * scale, 1.2 * scale),
              parameter(name + ".bias", {channels}, -0.1, 0.1),
              parameter(name + ".running_mean", {channels}, -0.1, 0.1),
              parameter(name + ".running_var", {channels}, 0.8, 1.2)},
             {{"epsilon", double(1e-5f)}});  // as a file keeps it
}

std::string ModelBuilder::dense(std::string const& name, std::string const& x, int64_t from,
                                int64_t to, double gain) {
  std::string w = weights(name + ".weight", {to, from}, from, gain);
  return add(name, "Gemm", {x, w, parameter(name + ".bias", {to}, -0.1, 0.1)},
             {{"transB", int64_t(1)}});
}

std::string ModelBuilder::reshape(std::string const& name, std::string const& x,
                                  Shape const& shape) {
  NDArray extents = NDArray::create(DType::kI64, {int64_t(shape.size())}).value();
  std::ranges::copy(shape, extents.as<int64_t>().begin());
  model_.graph.initializers[name + ".shape"] = std::move(extents);
  return add(name, "Reshape", {x, name + ".shape"});
}

ImportedModel ModelBuilder::finish(Shape const& output) {
  model_.graph.nodes.back().outputs = {"output"};
  model_.graph.outputs = {declare("output", output)};
  return std::move(model_);
}

}  // namespace tw
