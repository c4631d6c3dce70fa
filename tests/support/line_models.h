/// Small models for tests of the graph, written as lines.
#pragma once

#include <QStringList>

#include "engine/imported/imported_model.h"

namespace tw::testing {

/// A model in a line per node: "y = Relu x", "a,b = Split x".
inline ImportedModel model_of(std::vector<std::string> const& lines, Shape const& input,
                              std::vector<std::string> const& outputs = {"y"}) {
  ImportedModel model;
  model.format = "onnx";
  model.opsets[""] = 13;
  ForeignValue x{"x", ForeignKind::kTensor, DType::kF32, std::vector<ForeignDim>()};
  for (int64_t extent : input) x.dims->push_back({extent, ""});
  model.graph.inputs = {x};
  for (std::string const& output : outputs)
    model.graph.outputs.push_back({output, ForeignKind::kTensor, std::nullopt, std::nullopt});
  for (std::string const& line : lines) {
    QStringList words = QString::fromStdString(line).split(' ');
    ForeignNode node{words[0].toStdString(), words[2].toStdString(), "", {}, {}, {}};
    for (QString const& output : words[0].split(',')) node.outputs.push_back(output.toStdString());
    for (int i = 3; i < words.size(); ++i) node.inputs.push_back(words[i].toStdString());
    model.graph.nodes.push_back(node);
  }
  return model;
}

}  // namespace tw::testing
