/// Built-in models with seeded weights: something real to open when there is no file at hand.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace tw {

struct Sample {
  std::string name;         ///< "resnet18"
  std::string title;        ///< "ResNet-18"
  std::string description;  ///< one sentence
};
std::span<Sample const> samples();

/// Errors: unknown_sample, with the names that exist.
Result<ForeignModel> build_sample(std::string_view name);
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
ForeignModel build_resnet(ResNetOptions const& options = {});

}  // namespace tw
