#include "engine/samples/model_builder.h"
#include "engine/samples/samples.h"

namespace tw {
namespace {

struct Block {
  int64_t outputs, stride;
};
/// Howard et al. 2017, table 1: each row a depthwise 3x3 and a 1x1 convolution.
constexpr Block kBlocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                             {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};

std::string conv_norm_relu(ModelBuilder& model, std::string const& name, std::string const& x,
                           int64_t from, int64_t to, WindowOptions const& window) {
  std::string y = model.conv(name + ".conv", x, from, to, window);
  return model.relu(name + ".relu", model.batch_norm(name + ".bn", y, to));
}

}  // namespace

ImportedModel build_mobilenet(MobileNetOptions const& options) {
  ModelBuilder model("mobilenet", options.seed, "input", {1, 3, options.image, options.image});
  int64_t channels = options.width;
  std::string x = conv_norm_relu(model, "stem", "input", 3, channels, {3, 2, 1});
  int row = 0;
  for (Block const& block : kBlocks) {
    std::string prefix = "block" + std::to_string(++row);
    int64_t outputs = block.outputs * options.width / 32;
    x = conv_norm_relu(model, prefix + ".depthwise", x, channels, channels,
                       {3, block.stride, 1, channels});
    x = conv_norm_relu(model, prefix + ".pointwise", x, channels, outputs, {1, 1, 0});
    channels = outputs;
  }
  x = model.add("avgpool", "GlobalAveragePool", {x});
  x = model.add("flatten", "Flatten", {x}, {{"axis", int64_t(1)}});
  model.dense("fc", x, channels, options.classes);
  return model.finish({1, options.classes});
}

}  // namespace tw
