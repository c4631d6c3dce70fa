/// A model whose weights lie in a file beside it.
#pragma once

#include <onnx.pb.h>

#include <filesystem>
#include <fstream>

#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"

namespace tw::testing {

/// Moves what the model's initializers hold into `weights`, which is to lie beside the model.
inline std::string with_weights_apart(std::string const& model, std::string const& name,
                                      std::string& weights) {
  onnx::ModelProto proto;
  proto.ParseFromString(model);
  for (auto& tensor : *proto.mutable_graph()->mutable_initializer()) {
    if (!tensor.has_raw_data()) continue;
    for (auto const& [key, value] : {std::pair{"location", name},
                                     {"offset", std::to_string(weights.size())},
                                     {"length", std::to_string(tensor.raw_data().size())}}) {
      auto* entry = tensor.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    weights += tensor.raw_data();
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  }
  return proto.SerializeAsString();
}

/// A small network as one file, and as FOLDER/model with its weights in FOLDER/weights.
struct ExternalModel {
  std::string whole;
  std::string apart, weights;
  ExternalModel() {
    ResNetOptions options{.name = "small", .blocks = {1}, .width = 4, .image = 16, .classes = 3};
    whole = write_onnx(build_resnet(options)).value();
    apart = with_weights_apart(whole, "small.weights", weights);
  }
  std::filesystem::path write(std::filesystem::path const& folder) const {
    std::ofstream(folder / "small.onnx", std::ios::binary) << apart;
    std::ofstream(folder / "small.weights", std::ios::binary) << weights;
    return folder / "small.onnx";
  }
};

}  // namespace tw::testing
