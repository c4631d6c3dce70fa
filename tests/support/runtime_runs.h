/// A kernel's code on a processor in this process.
#pragma once

#include <fmt/format.h>

#include "engine/backend/backend.h"
#include "engine/runtime/device_runtime.h"

namespace tw::testing {

/// Outputs of one call. Errors: those of loading and of the kernel.
inline Result<std::vector<NDArray>> run_on(DeviceRuntime& processor, Backend const& backend,
                                           ir::Program const& program, Artifact const& code,
                                           std::vector<NDArray> const& inputs) {
  TRY_ASSIGN(std::vector<std::byte> library, backend.link({&code.parts, 1}));
  TRY_ASSIGN(std::unique_ptr<KernelLibrary> loaded, processor.load(library));
  TRY_ASSIGN(void* kernel, loaded->find(code.symbol));
  struct Places {
    DeviceRuntime& processor;
    std::vector<MemoryPlace> list = {};
    ~Places() {
      for (MemoryPlace const& one : list) processor.release(one.memory);
    }
  } places{processor};
  auto place = [&](int64_t bytes) -> Status {
    // Not at the start of its memory: networks keep all tensors in one.
    TRY_ASSIGN(void* memory, processor.allocate(bytes + 64));
    places.list.push_back({memory, 64});
    return {};
  };
  for (NDArray const& input : inputs) {
    TRY(place(input.byte_size()));
    processor.write(places.list.back(),
                    {static_cast<std::byte const*>(input.data()), size_t(input.byte_size())});
  }
  std::vector<NDArray> outputs;
  for (ir::Buffer const& output : program.outputs) {
    TRY_ASSIGN(NDArray array, NDArray::create(output->type, *ir::constant_shape(*output)));
    TRY(place(array.byte_size()));
    outputs.push_back(std::move(array));
  }
  TRY(place(code.workspace_bytes));
  (void)processor.call(kernel, places.list);
  TRY(processor.finish());
  for (size_t i = 0; i < outputs.size(); ++i)
    processor.read({static_cast<std::byte*>(outputs[i].data()), size_t(outputs[i].byte_size())},
                   places.list[inputs.size() + i]);
  TRY(processor.finish());
  return outputs;
}

/// Empty, or the first element that is far from what is wanted.
inline std::string difference(std::vector<NDArray> const& wanted,
                              std::vector<NDArray> const& outputs) {
  for (size_t o = 0; o < wanted.size(); ++o) {
    // Of 16 bits a sum that is rounded after each term is two or three last places apart.
    DType type = wanted[o].type();
    double apart = type == DType::kF16 ? 0x3p-10 : type == DType::kBF16 ? 0x3p-7 : 1e-4;
    for (int64_t e = 0; e < wanted[o].size(); ++e) {
      double one = wanted[o].value_at(e), other = outputs[o].value_at(e);
      if (!(std::abs(one - other) <= apart * (1 + std::abs(one))))
        return fmt::format("element {} of output {} is {}, not {}", e, o, other, one);
    }
  }
  return "";
}

}  // namespace tw::testing
