#include "engine/samples/model_builder.h"
#include "engine/samples/samples.h"

namespace tw {

ImportedModel build_lstm(LstmOptions const& options) {
  auto [steps, batch, layers, units, vocabulary, seed] = options;
  ModelBuilder model("lstm", seed, "tokens", {steps, batch}, DType::kI64);
  // Zaremba et al. draw all weights from [-0.05, 0.05].
  auto uniform = [&](std::string const& name, Shape shape) {
    return model.parameter(name, std::move(shape), -0.05, 0.05);
  };
  std::string x = model.add("embedding", "Gather",
                            {uniform("embedding.weight", {vocabulary, units}), "tokens"});
  for (int64_t layer = 0; layer < layers; ++layer) {
    std::string name = "lstm" + std::to_string(layer + 1);
    std::string w = uniform(name + ".input", {1, 4 * units, units});
    std::string r = uniform(name + ".recurrent", {1, 4 * units, units});
    std::string b = uniform(name + ".bias", {1, 8 * units});
    std::string y = model.add(name, "LSTM", {x, w, r, b}, {{"hidden_size", units}});
    x = model.reshape(name + ".rows", y, {steps, batch, units});
  }
  x = model.reshape("rows", x, {steps * batch, units});
  model.dense("softmax", x, units, vocabulary);
  return model.finish({steps * batch, vocabulary});
}

}  // namespace tw
