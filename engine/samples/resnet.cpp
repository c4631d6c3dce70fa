#include <cmath>

#include "engine/samples/samples.h"
#include "engine/support/base/hash.h"
#include "engine/support/base/random.h"

namespace tw {
namespace {

class Builder {
public:
  explicit Builder(ResNetOptions const& options) : options_(options) {}

  ForeignModel build() {
    model_.format = "onnx";
    model_.producer = "Tilewright";
    model_.opsets = {{"", 13}};
    graph().name = options_.name;
    graph().inputs = {declare("input", {1, 3, options_.image, options_.image})};
    std::string x = conv_norm("conv1", "bn1", "input", 3, options_.width, 7, 2, 1);
    x = add(
        "maxpool", "MaxPool", {relu("relu", x)},
        {{"kernel_shape", ints({3, 3})}, {"strides", ints({2, 2})}, {"pads", ints({1, 1, 1, 1})}});
    int64_t channels = options_.width;
    for (size_t stage = 0; stage < options_.blocks.size(); ++stage)
      for (int block = 0; block < options_.blocks[stage]; ++block) {
        int64_t outputs = options_.width << stage;
        std::string prefix =
            "layer" + std::to_string(stage + 1) + "." + std::to_string(block) + ".";
        x = basic_block(prefix, x, channels, outputs, stage > 0 && block == 0 ? 2 : 1);
        channels = outputs;
      }
    classify(x, channels);
    return std::move(model_);
  }

private:
  ForeignGraph& graph() { return model_.graph; }
  static std::vector<int64_t> ints(std::vector<int64_t> list) { return list; }

  static ForeignValue declare(std::string name, Shape const& shape) {
    ForeignValue value{std::move(name), ForeignKind::kTensor, DType::kF32,
                       std::vector<ForeignDim>()};
    for (int64_t extent : shape) value.dims->push_back({extent, ""});
    return value;
  }

  /// Each tensor has its own stream of numbers: one more layer leaves the others as they are.
  NDArray random(std::string const& name, Shape shape, double low, double high) {
    NDArray array = NDArray::create(DType::kF32, std::move(shape)).value();
    Rng rng(Hasher().number(options_.seed).text(name).finish());
    for (float& v : array.as<float>()) v = float(low + (high - low) * rng.uniform());
    return array;
  }

  std::string parameter(std::string const& name, Shape shape, double low, double high) {
    graph().initializers[name] = random(name, std::move(shape), low, high);
    return name;
  }

  /// Uniform in +-bound has the deviation bound / sqrt(3).
  std::string weights(std::string const& name, Shape shape, int64_t fan_in, double gain) {
    double bound = std::sqrt(3.0 * gain / double(fan_in));
    return parameter(name, std::move(shape), -bound, bound);
  }

  std::string add(std::string const& name, std::string type, std::vector<std::string> inputs,
                  std::map<std::string, ForeignAttribute> attributes = {}) {
    graph().nodes.push_back(
        {name, std::move(type), "", std::move(inputs), {name + ".out"}, std::move(attributes)});
    return name + ".out";
  }

  std::string relu(std::string const& name, std::string const& x) { return add(name, "Relu", {x}); }

  std::string conv_norm(std::string const& conv, std::string const& norm, std::string const& x,
                        int64_t from, int64_t to, int64_t kernel, int64_t stride, double scale) {
    int64_t pad = kernel / 2;
    std::string w =
        weights(conv + ".weight", {to, from, kernel, kernel}, from * kernel * kernel, 2);
    std::string y = add(conv, "Conv", {x, w},
                        {{"kernel_shape", ints({kernel, kernel})},
                         {"strides", ints({stride, stride})},
                         {"pads", ints({pad, pad, pad, pad})}});
    return add(norm, "BatchNormalization",
               {y, parameter(norm + ".weight", {to}, 0.8 * scale, 1.2 * scale),
                parameter(norm + ".bias", {to}, -0.1, 0.1),
                parameter(norm + ".running_mean", {to}, -0.1, 0.1),
                parameter(norm + ".running_var", {to}, 0.8, 1.2)},
               {{"epsilon", double(1e-5f)}});  // as a file keeps it
  }

  std::string basic_block(std::string const& prefix, std::string const& x, int64_t from, int64_t to,
                          int64_t stride) {
    std::string y = conv_norm(prefix + "conv1", prefix + "bn1", x, from, to, 3, stride, 1);
    y = conv_norm(prefix + "conv2", prefix + "bn2", relu(prefix + "relu1", y), to, to, 3, 1, 0.5);
    std::string shortcut = x;
    if (stride != 1 || from != to)
      shortcut =
          conv_norm(prefix + "downsample.0", prefix + "downsample.1", x, from, to, 1, stride, 0.7);
    return relu(prefix + "relu2", add(prefix + "add", "Add", {y, shortcut}));
  }

  void classify(std::string x, int64_t channels) {
    x = add("avgpool", "GlobalAveragePool", {x});
    x = add("flatten", "Flatten", {x}, {{"axis", int64_t(1)}});
    std::string w = weights("fc.weight", {options_.classes, channels}, channels, 1);
    graph().nodes.push_back({"fc",
                             "Gemm",
                             "",
                             {x, w, parameter("fc.bias", {options_.classes}, -0.1, 0.1)},
                             {"output"},
                             {{"transB", int64_t(1)}}});
    graph().outputs = {declare("output", {1, options_.classes})};
  }

  ResNetOptions const& options_;
  ForeignModel model_;
};

}  // namespace

ForeignModel build_resnet(ResNetOptions const& options) { return Builder(options).build(); }

}  // namespace tw
