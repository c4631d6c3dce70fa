/// Kernels of single operators, drawn by chance as their own rows do.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/computes.h"

namespace tw::testing {

inline Layout layout_of(std::vector<Layout> const& layouts, size_t i) {
  return i < layouts.size() ? layouts[i] : Layout();
}

inline Arrangement arrangement_of(RandomCase const& c, std::vector<TensorInfo> const& results) {
  Arrangement arrangement{c.algorithm, {}, {}};
  for (size_t i = 0; i < c.inputs.size(); ++i)
    arrangement.inputs.push_back({c.inputs[i].shape(), layout_of(c.layouts, i)});
  for (size_t i = 0; i < results.size(); ++i)
    arrangement.outputs.push_back({results[i].shape, layout_of(c.result_layouts, i)});
  return arrangement;
}

/// The kernel of one operator alone.
inline Result<te::Kernel> kernel_of(Operator const& op, RandomCase const& c,
                                    std::vector<TensorInfo> const& results) {
  te::Kernel kernel;
  kernel.name = op.name;
  std::vector<te::Buffer> buffers;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    NDArray const& input = c.inputs[i];
    Shape shape = layout_of(c.layouts, i).stored(input.shape());
    // Every second one is a parameter: an operator may treat it in another way.
    buffers.push_back(input.empty() ? nullptr
                                    : ir::make_buffer("I" + std::to_string(i), input.type(), shape,
                                                      i % 2 == 1 ? ir::kParameterScope : "global"));
    if (buffers.back()) kernel.inputs.push_back(buffers.back());
  }
  TRY_ASSIGN(Tensors tensors,
             compute_tensors(op, c.attributes, arrangement_of(c, results), buffers, op.name));
  kernel.stages = tensors.stages;
  kernel.outputs = tensors.outputs;
  return kernel;
}

/// What only the reference runs may look at the elements: they are known when it does.
inline std::vector<TensorInfo> infos_of(Operator const& op, RandomCase const& c) {
  std::vector<TensorInfo> infos;
  for (NDArray const& input : c.inputs)
    infos.push_back({input.type(), input.shape(), has_compute(op) ? NDArray() : input});
  return infos;
}

inline Result<std::vector<TensorInfo>> inferred(Operator const& op, RandomCase const& c) {
  std::vector<TensorInfo> infos = infos_of(op, c);
  std::vector<TensorInfo const*> pointers;
  for (size_t i = 0; i < infos.size(); ++i)
    pointers.push_back(c.inputs[i].empty() ? nullptr : &infos[i]);
  return op.infer(c.attributes, pointers);
}

}  // namespace tw::testing
