/// Built-in models with seeded weights: something real to open when there is no file at hand.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/imported/imported_model.h"

namespace tw {

struct Sample {
  std::string name;         ///< "resnet18"
  std::string title;        ///< "ResNet-18"
  std::string description;  ///< one sentence
};
std::span<Sample const> samples();

/// Errors: unknown_sample, with the names that exist.
Result<ImportedModel> build_sample(std::string_view name);
Result<Graph> open_sample(std::string_view name);
/// Writes it as ONNX. Errors: unknown_sample, file_unwritable.
Status write_sample(std::string_view name, std::filesystem::path const& path);

/// A residual network of basic blocks. Source: He et al. 2016, §3.3, table 1.
struct ResNetOptions {
  std::string name = "resnet18";
  std::vector<int> blocks{2, 2, 2, 2};  ///< per stage; the width doubles from stage to stage
  int64_t width = 64;
  int64_t image = 224;
  int64_t classes = 1000;
  uint64_t seed = 18;
};
/// Weights are uniform with He's deviation sqrt(2 / fan in), the second normalization of each block
/// is scaled by a half: values keep their magnitude through the network.
ImportedModel build_resnet(ResNetOptions const& options = {});

/// Depthwise separable convolutions. Source: Howard et al. 2017 (MobileNets), table 1.
struct MobileNetOptions {
  int64_t width = 32;  ///< channels of the first layer, at least 1; the others follow
  int64_t image = 224;
  int64_t classes = 1000;
  uint64_t seed = 17;
};
ImportedModel build_mobilenet(MobileNetOptions const& options = {});

/// The network that plays Atari games from four frames of 84 x 84 pixels. Source: Mnih et al. 2015,
/// Methods, "Model architecture".
struct DqnOptions {
  int64_t frames = 4;
  int64_t actions = 18;
  uint64_t seed = 15;
};
ImportedModel build_dqn(DqnOptions const& options = {});

/// A generator of pictures of 64 x 64 pixels from noise. Source of the widths: Radford et al. 2015
/// (DCGAN), figure 1; kernels are 4x4, a multiple of the stride, where the paper has 5x5.
struct DcganOptions {
  int64_t noise = 100;
  int64_t width = 128;  ///< channels before the last layer; each layer before has twice as many
  uint64_t seed = 16;
};
ImportedModel build_dcgan(DcganOptions const& options = {});

/// A language model: the next word's scores after each word. Source of the sizes: Zaremba et al.
/// 2014, §4.1, the medium model.
struct LstmOptions {
  int64_t steps = 20;
  int64_t batch = 1;
  int64_t layers = 2;
  int64_t units = 650;
  int64_t vocabulary = 10000;
  uint64_t seed = 14;
};
ImportedModel build_lstm(LstmOptions const& options = {});

}  // namespace tw
