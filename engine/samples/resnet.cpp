#include "engine/samples/model_builder.h"
#include "engine/samples/samples.h"

namespace tw {
namespace {

class Builder {
public:
  explicit Builder(ResNetOptions const& options)
      : options_(options),
        model_(options.name, options.seed, "input", {1, 3, options.image, options.image}) {}

  ImportedModel build() {
    std::string x = conv_norm("conv1", "bn1", "input", 3, options_.width, 7, 2, 1);
    x = model_.add("maxpool", "MaxPool", {model_.relu("relu", x)},
                   {{"kernel_shape", std::vector<int64_t>{3, 3}},
                    {"strides", std::vector<int64_t>{2, 2}},
                    {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
    int64_t channels = options_.width;
    for (size_t stage = 0; stage < options_.blocks.size(); ++stage)
      for (int block = 0; block < options_.blocks[stage]; ++block) {
        int64_t outputs = options_.width << stage;
        std::string prefix =
            "layer" + std::to_string(stage + 1) + "." + std::to_string(block) + ".";
        x = basic_block(prefix, x, channels, outputs, stage > 0 && block == 0 ? 2 : 1);
        channels = outputs;
      }
    x = model_.add("avgpool", "GlobalAveragePool", {x});
    x = model_.add("flatten", "Flatten", {x}, {{"axis", int64_t(1)}});
    model_.dense("fc", x, channels, options_.classes);
    return model_.finish({1, options_.classes});
  }

private:
  std::string conv_norm(std::string const& conv, std::string const& norm, std::string const& x,
                        int64_t from, int64_t to, int64_t kernel, int64_t stride, double scale) {
    std::string y = model_.conv(conv, x, from, to, {kernel, stride, kernel / 2});
    return model_.batch_norm(norm, y, to, scale);
  }

  std::string basic_block(std::string const& prefix, std::string const& x, int64_t from, int64_t to,
                          int64_t stride) {
    std::string y = conv_norm(prefix + "conv1", prefix + "bn1", x, from, to, 3, stride, 1);
    y = model_.relu(prefix + "relu1", y);
    y = conv_norm(prefix + "conv2", prefix + "bn2", y, to, to, 3, 1, 0.5);
    std::string shortcut = x;
    if (stride != 1 || from != to)
      shortcut =
          conv_norm(prefix + "downsample.0", prefix + "downsample.1", x, from, to, 1, stride, 0.7);
    return model_.relu(prefix + "relu2", model_.add(prefix + "add", "Add", {y, shortcut}));
  }

  ResNetOptions const& options_;
  ModelBuilder model_;
};

}  // namespace

ImportedModel build_resnet(ResNetOptions const& options) { return Builder(options).build(); }

}  // namespace tw
