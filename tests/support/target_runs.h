/// Kernels that a target took, as one library on its device.
#pragma once

#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/device/local_device.h"
#include "engine/te/expected.h"

namespace tw::testing {

/// A kernel that a target took, with what it must compute.
struct Taken {
  ir::Program program;
  std::string text;  ///< of the kernel and its script, for messages
  std::vector<NDArray> inputs;
  te::Expected expected;
  Artifact code;
};

/// A device that compiles what it loads may take a while.
inline Result<LibraryHandle> load_all(Device& device, Backend const& backend,
                                      std::vector<Taken> const& taken) {
  std::vector<CodeParts> parts;
  for (Taken const& one : taken) parts.push_back(one.code.parts);
  TRY_ASSIGN(std::vector<std::byte> library, backend.link(parts));
  return device.load(library, {.stop = {}, .timeout = std::chrono::minutes(4)});
}

inline Result<std::vector<NDArray>> run_taken(Device& device, LibraryHandle const& library,
                                              Taken const& one) {
  DeviceStep step{library, one.code.symbol, {}, {}};
  for (NDArray const& input : one.inputs) {
    TRY_ASSIGN(TensorHandle tensor, put_tensor(device, input, {}));
    step.buffers.push_back({tensor, 0});
  }
  for (ir::Buffer const& output : one.program.outputs) {
    TRY_ASSIGN(NDArray empty, NDArray::create(output->type, *ir::constant_shape(*output)));
    TRY_ASSIGN(TensorHandle tensor, put_tensor(device, empty, {}));
    step.buffers.push_back({tensor, 0});
  }
  if (one.code.workspace_bytes > 0) {
    TRY_ASSIGN(step.workspace.tensor, device.allocate(one.code.workspace_bytes, {}));
  }
  TRY(device.run({&step, 1}, 2, {}));
  std::vector<NDArray> outputs;
  for (size_t i = 0; i < one.program.outputs.size(); ++i) {
    ir::BufferNode const& output = *one.program.outputs[i];
    TRY_ASSIGN(NDArray array, get_tensor(device, step.buffers[one.inputs.size() + i].tensor,
                                         output.type, *ir::constant_shape(output), {}));
    outputs.push_back(std::move(array));
  }
  return outputs;
}

}  // namespace tw::testing
