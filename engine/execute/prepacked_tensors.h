/// What kernels make of their parameters, computed once when a network is loaded.
#pragma once

#include <functional>

#include "engine/compile/kernel_code.h"
#include "engine/device/device.h"

namespace tw {

/// The part of a kernel that runs at load (`KernelCode::load`), where it lies on a device.
struct LoadPart {
  LibraryHandle library;
  std::string symbol;
  BufferView workspace;
  std::vector<ir::Buffer> made;  ///< what it fills, in this order
};

/// Gives a tensor of the device that is as large as the buffer.
using MakeRoom = std::function<Result<TensorHandle>(ir::BufferNode const&)>;

/// Fills a tensor for each of `part.made`, in its order. `inputs`: one per input of the kernel;
/// what is no parameter may lie nowhere. Errors: those of `room` and of the device.
Result<std::vector<BufferView>> make_tensors(Device& device, LoadPart const& part,
                                             std::vector<BufferView> inputs, MakeRoom const& room,
                                             int threads, CallOptions const& call);

/// Of a buffer of constant shape.
int64_t size_in_bytes(ir::BufferNode const& buffer);

}  // namespace tw
