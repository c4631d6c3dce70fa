/// Whole kernels on the device of emitted_device.h.
#pragma once

#include "engine/backend/backend.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/program.h"
#include "engine/tensor/ndarray.h"
#include "tests/support/emitted_device.h"

namespace tw::testing {

struct EmittedRun {
  std::vector<NDArray> outputs;
  int proven = 0;           ///< accesses of more than eight bytes
  int64_t given_bytes = 0;  ///< of the largest function
};

inline Status launch_emitted(ir::Function const& function, EmittedDevice const& device,
                             std::string const& name, gpu::LaunchShape const& shape,
                             std::map<std::string, void*> const& tensors,
                             std::map<std::string, int64_t> const& counters = {}) {
  int32_t fault = 0;
  std::vector<void*> arguments;
  for (ir::Buffer const& tensor : function.params) arguments.push_back(tensors.at(tensor->name));
  for (ir::SizeParam const& size : function.sizes)
    arguments.push_back(
        reinterpret_cast<void*>(intptr_t(counters.at(size.var.to<ir::Variable>().name))));
  arguments.push_back(&fault);
  std::array<int64_t, 3> grid{};
  for (size_t d = 0; d < 3; ++d) grid[d] = ir::as_int(shape.grid[d]).value_or(0);
  TRY(device.launch(name, grid, shape.block, arguments));
  if (fault != 0) return refused("division_by_zero", "it divided by zero");
  return {};
}

/// What the host does: calls of device functions, and loops around them.
template <typename Launch>
Status each_launch(ir::Stmt const& s, std::map<std::string, int64_t>& counters,
                   Launch const& launch) {
  if (auto const* list = s.as<ir::Seq>())
    for (ir::Stmt const& child : list->stmts) TRY(each_launch(child, counters, launch));
  if (auto const* alloc = s.as<ir::Alloc>()) return each_launch(alloc->body, counters, launch);
  if (auto const* call = s.as<ir::IntrinsicCall>()) return launch(call->intrinsic->function);
  auto const* loop = s.as<ir::For>();
  for (int64_t i = 0; loop && i < ir::as_int(loop->extent).value_or(0); ++i) {
    counters[loop->name()] = i;
    TRY(each_launch(loop->body, counters, launch));
  }
  return {};
}

/// The device functions, as the host calls them, with the kernel's tensors.
inline Status launch_all(ir::KernelIr const& kernel, EmittedDevice const& device,
                         std::vector<std::string> const& names,
                         std::vector<gpu::LaunchShape> const& shapes,
                         std::vector<NDArray> const& inputs, std::vector<NDArray>& outputs) {
  int64_t bytes = 0;
  auto offsets = workspace_layout(kernel, &bytes);
  std::vector<std::byte> workspace(size_t(bytes) + 64);
  auto* start = workspace.data() + (64 - reinterpret_cast<uintptr_t>(workspace.data()) % 64) % 64;
  std::map<std::string, void*> tensors;
  for (auto const& [name, offset] : offsets) tensors[name] = start + offset;
  // Parameters may stand at whole lines: so do these.
  std::vector<std::vector<std::byte>> copies;
  auto aligned = [&](NDArray const& array) {
    copies.emplace_back(size_t(array.byte_size()) + 64);
    auto* place = copies.back().data();
    place += (64 - reinterpret_cast<uintptr_t>(place) % 64) % 64;
    std::memcpy(place, array.data(), size_t(array.byte_size()));
    return place;
  };
  copies.reserve(inputs.size() + outputs.size());
  std::vector<std::byte*> made;
  for (size_t i = 0; i < inputs.size(); ++i)
    tensors[kernel.host.params[i]->name] = aligned(inputs[i]);
  for (size_t i = 0; i < outputs.size(); ++i) {
    made.push_back(aligned(outputs[i]));
    tensors[kernel.host.params[inputs.size() + i]->name] = made.back();
  }
  std::map<std::string, int64_t> counters;
  TRY(each_launch(kernel.host.body, counters, [&](std::string const& function) -> Status {
    auto called = std::ranges::find(kernel.device, function, &ir::Function::name);
    auto i = size_t(called - kernel.device.begin());
    return launch_emitted(*called, device, names[i], shapes[i], tensors, counters);
  }));
  for (size_t i = 0; i < outputs.size(); ++i)
    std::memcpy(outputs[i].data(), made[i], size_t(outputs[i].byte_size()));
  return {};
}

/// Errors: those of the emitter and of launches; division_by_zero.
inline Result<EmittedRun> run_emitted(Machine const& machine, ir::KernelIr const& kernel,
                                      ir::Program const& program,
                                      std::vector<NDArray> const& inputs) {
  std::vector<std::string> names;
  std::vector<gpu::LaunchShape> shapes;
  for (size_t i = 0; i < kernel.device.size(); ++i) {
    TRY_ASSIGN(gpu::LaunchShape shape, gpu::launch_shape(kernel.device[i]));
    names.push_back("f" + std::to_string(i));
    shapes.push_back(std::move(shape));
  }
  TRY_ASSIGN(auto device, EmittedDevice::create(machine, kernel, names));
  EmittedRun run{.outputs = {}, .proven = device.proven(), .given_bytes = device.given_bytes()};
  for (ir::Buffer const& output : program.outputs) {
    TRY_ASSIGN(NDArray array, NDArray::create(output->type, *ir::constant_shape(*output)));
    run.outputs.push_back(std::move(array));
  }
  TRY(launch_all(kernel, device, names, shapes, inputs, run.outputs));
  return run;
}

}  // namespace tw::testing
