#include "engine/samples/model_builder.h"
#include "engine/samples/samples.h"

namespace tw {

ImportedModel build_dcgan(DcganOptions const& options) {
  ModelBuilder model("dcgan", options.seed, "noise", {1, options.noise});
  int64_t channels = options.width * 8;
  std::string x = model.dense("project", "noise", options.noise, channels * 16, 6);
  x = model.reshape("project.reshape", x, {1, channels, 4, 4});
  x = model.relu("project.relu", model.batch_norm("project.bn", x, channels));
  for (int layer = 1; layer <= 3; ++layer) {
    std::string name = "up" + std::to_string(layer);
    x = model.conv_transpose(name, x, channels, channels / 2, {4, 2, 1});
    channels /= 2;
    x = model.relu(name + ".relu", model.batch_norm(name + ".bn", x, channels));
  }
  x = model.conv_transpose("up4", x, channels, 3, {4, 2, 1}, 1);
  model.add("tanh", "Tanh", {x});
  return model.finish({1, 3, 64, 64});
}

}  // namespace tw
