#include "engine/samples/model_builder.h"
#include "engine/samples/samples.h"

namespace tw {
namespace {

/// Pixels along one side after a convolution without padding.
int64_t side_after(int64_t side, WindowOptions const& window) {
  return (side - window.kernel) / window.stride + 1;
}

}  // namespace

ImportedModel build_dqn(DqnOptions const& options) {
  struct Layer {
    int64_t outputs;
    WindowOptions window;
  };
  static constexpr Layer kLayers[] = {{32, {8, 4}}, {64, {4, 2}}, {64, {3, 1}}};

  ModelBuilder model("dqn", options.seed, "frames", {1, options.frames, 84, 84});
  std::string x = "frames";
  int64_t channels = options.frames, side = 84;
  int number = 0;
  for (Layer const& layer : kLayers) {
    std::string name = "conv" + std::to_string(++number);
    std::string y = model.conv(name, x, channels, layer.outputs, layer.window);
    std::string bias = model.parameter(name + ".bias", {layer.outputs, 1, 1}, -0.1, 0.1);
    x = model.relu(name + ".relu", model.add(name + ".add", "Add", {y, bias}));
    channels = layer.outputs;
    side = side_after(side, layer.window);
  }
  x = model.add("flatten", "Flatten", {x}, {{"axis", int64_t(1)}});
  x = model.relu("fc1.relu", model.dense("fc1", x, channels * side * side, 512, 2));
  model.dense("fc2", x, 512, options.actions);
  return model.finish({1, options.actions});
}

}  // namespace tw
