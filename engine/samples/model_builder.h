/// Puts a foreign model together layer by layer, with seeded random weights.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/imported/imported_model.h"

namespace tw {

/// What a convolution or a transposed one does to the image; `pad` on all sides.
struct WindowOptions {
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t pad = 0;
  int64_t groups = 1;
};

/// Layers return the name of the value that they make. Images are [batch, channels, height, width].
class ModelBuilder {
public:
  /// One input.
  ModelBuilder(std::string name, uint64_t seed, std::string input, Shape const& shape,
               DType type = DType::kF32);

  std::string add(std::string const& name, std::string type, std::vector<std::string> inputs,
                  std::map<std::string, ForeignAttribute> attributes = {});
  /// An initializer, uniform between `low` and `high`. Each has its own stream of numbers: one more
  /// layer leaves the others as they are.
  std::string parameter(std::string const& name, Shape shape, double low, double high);
  /// Uniform with the deviation sqrt(gain / fan in). Source of gain 2 before a rectifier: He et al.
  /// 2015, §2.2.
  std::string weights(std::string const& name, Shape shape, int64_t fan_in, double gain);

  /// Without a bias.
  std::string conv(std::string const& name, std::string const& x, int64_t from, int64_t to,
                   WindowOptions const& window, double gain = 2);
  std::string conv_transpose(std::string const& name, std::string const& x, int64_t from,
                             int64_t to, WindowOptions const& window, double gain = 2);
  /// Statistics near 0 and 1; `scale` is the mean of the factors.
  std::string batch_norm(std::string const& name, std::string const& x, int64_t channels,
                         double scale = 1);
  std::string relu(std::string const& name, std::string const& x) { return add(name, "Relu", {x}); }
  /// x [batch, from] -> [batch, to], with a bias.
  std::string dense(std::string const& name, std::string const& x, int64_t from, int64_t to,
                    double gain = 1);
  std::string reshape(std::string const& name, std::string const& x, Shape const& shape);

  /// The model, whose one output "output" is the last layer's value.
  ImportedModel finish(Shape const& output);

private:
  ImportedModel model_;
  uint64_t seed_;
};

}  // namespace tw
