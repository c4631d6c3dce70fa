#include "engine/execute/prepacked_tensors.h"

#include "engine/tensor/ndarray.h"

namespace tw {

int64_t size_in_bytes(ir::BufferNode const& buffer) {
  Shape shape = ir::constant_shape(buffer).value_or(Shape{});
  return element_count(shape).value_or(0) * size_of(buffer.type);
}

Result<std::vector<BufferView>> make_tensors(Device& device, LoadPart const& part,
                                             std::vector<BufferView> inputs, MakeRoom const& room,
                                             int threads, CallOptions const& call) {
  std::vector<BufferView> made;
  for (ir::Buffer const& buffer : part.made) {
    TRY_ASSIGN(TensorHandle tensor, room(*buffer));
    made.push_back({tensor, 0});
  }
  DeviceStep step{part.library, part.symbol, std::move(inputs), part.workspace};
  step.buffers.insert(step.buffers.end(), made.begin(), made.end());
  TRY(device.run({&step, 1}, threads, call));
  return made;
}

}  // namespace tw
