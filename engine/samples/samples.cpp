#include "engine/samples/samples.h"

#include <fmt/format.h>

#include "engine/importers/from_foreign.h"
#include "engine/samples/onnx_writer.h"
#include "engine/support/files.h"

namespace tw {
namespace {

struct Row {
  Sample sample;
  ImportedModel (*build)();
};

std::span<Row const> rows() {
  static Row const list[] = {
      {{"resnet18", "ResNet-18",
        "Image classification: 224 x 224 pixels, 1.8 GMAC, 11.7 million random weights with a "
        "fixed seed."},
       [] { return build_resnet(); }},
      {{"mobilenet", "MobileNet-v1",
        "Image classification with depthwise and 1x1 convolutions: 0.57 GMAC, 4.2 million "
        "weights."},
       [] { return build_mobilenet(); }},
      {{"dqn", "DQN", "Plays Atari games from four frames of 84 x 84 pixels: 18 actions."},
       [] { return build_dqn(); }},
      {{"dcgan", "DCGAN generator",
        "Generates images of 64 x 64 pixels with transposed convolutions."},
       [] { return build_dcgan(); }},
      {{"lstm", "LSTM language model",
        "Scores for 10,000 words after each of 20 words: 2 layers of 650 units."},
       [] { return build_lstm(); }},
  };
  return list;
}

}  // namespace

std::span<Sample const> samples() {
  static std::vector<Sample> const list = [] {
    std::vector<Sample> names;
    for (Row const& row : rows()) names.push_back(row.sample);
    return names;
  }();
  return list;
}

Result<ImportedModel> build_sample(std::string_view name) {
  std::string known;
  for (Row const& row : rows()) {
    if (row.sample.name == name) return row.build();
    known += (known.empty() ? "" : ", ") + row.sample.name;
  }
  return bad_input("unknown_sample",
                   fmt::format("there is no sample '{}'; the samples are {}", name, known));
}

Result<Graph> open_sample(std::string_view name) {
  TRY_ASSIGN(ImportedModel model, build_sample(name));
  return build_graph(model);
}

Status write_sample(std::string_view name, std::filesystem::path const& path) {
  TRY_ASSIGN(ImportedModel model, build_sample(name));
  TRY_ASSIGN(std::string bytes, write_onnx(model));
  return write_output(path, bytes);
}

}  // namespace tw
