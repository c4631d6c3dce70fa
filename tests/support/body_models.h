/// Models with graphs inside for tests, and tensors for them.
#pragma once

#include "engine/tensor/ndarray.h"
#include "tests/support/line_models.h"

namespace tw::testing {

using Lines = std::vector<std::string>;
using Body = std::shared_ptr<ForeignGraph const>;

inline ForeignValue declared(std::string const& name, DType type, Shape const& shape) {
  ForeignValue value{name, ForeignKind::kTensor, type, std::vector<ForeignDim>()};
  for (int64_t extent : shape) value.dims->push_back({extent, ""});
  return value;
}

inline Body body(Lines const& lines, Lines const& outputs,
                 std::vector<ForeignValue> const& inputs = {}) {
  ForeignGraph graph = model_of(lines, {}, outputs).graph;
  graph.inputs = inputs;
  for (ForeignNode& node : graph.nodes)
    if (node.op_type == "Concat") node.attributes["axis"] = int64_t(0);
  return std::make_shared<ForeignGraph const>(std::move(graph));
}

inline NDArray numbers(DType type, Shape const& shape, std::vector<double> const& values) {
  NDArray array = NDArray::create(type, shape).value();
  for (size_t i = 0; i < values.size(); ++i) array.set_value(int64_t(i), values[i]);
  return array;
}
inline NDArray floats(std::vector<double> const& values) {
  return numbers(DType::kF32, {int64_t(values.size())}, values);
}

inline std::vector<double> elements(NDArray const& array) {
  std::vector<double> list;
  for (int64_t i = 0; i < array.size(); ++i) list.push_back(array.value_at(i));
  return list;
}

}  // namespace tw::testing
