/// Graphs of one convolution with relu behind it.
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/shared/elements.h"
#include "engine/support/base/random.h"

namespace tw::testing {

/// A convolution of 3 x 3, stride 1, over `batch` images of `channels` x `rows` x `columns`.
struct ConvolutionShape {
  int64_t batch = 1, channels = 1, rows = 1, columns = 1, outputs = 1;
  std::vector<int64_t> pads{1, 1, 1, 1};
};

/// c = conv(x, w, b), y = relu(c), with weights by chance.
inline Graph convolution_graph(ConvolutionShape const& s, Rng& rng) {
  Graph graph;
  graph.name = "convolution";
  auto add = [&](std::string const& name, Shape const& shape, NDArray const& constant = {}) {
    return graph.add_value({name, tensor_type(DType::kF32, shape), constant, {}});
  };
  Shape weights{s.outputs, s.channels, 3, 3};
  Shape result{s.batch, s.outputs, s.rows + s.pads[0] + s.pads[2] - 2,
               s.columns + s.pads[1] + s.pads[3] - 2};
  ValueId x = add("x", {s.batch, s.channels, s.rows, s.columns}),
          w = add("w", weights, ops::random_array(rng, weights)),
          b = add("b", {s.outputs}, ops::random_array(rng, {s.outputs})), c = add("c", result),
          y = add("y", result);
  Attributes attributes{{"kernel", std::vector<int64_t>{3, 3}}, {"pads", s.pads}};
  graph.nodes = {{"c", find_operator("conv"), "conv", attributes, {x, w, b}, {c}, {"c"}, {}, {}},
                 {"y", find_operator("relu"), "relu", {}, {c}, {y}, {"y"}, {}, {}}};
  graph.inputs = {x};
  graph.outputs = {y};
  return graph;
}

}  // namespace tw::testing
