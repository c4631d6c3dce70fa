/// Runs a program as machine code in this process: for tests of lowering and code generation.
#pragma once

#include <vector>

#include "engine/backend/backend.h"
#include "engine/runtime/kernel_code.h"
#include "engine/runtime/module.h"
#include "engine/runtime/thread_pool.h"
#include "engine/tensor/ndarray.h"

namespace tw::testing {

inline Result<std::vector<NDArray>> run_compiled(ir::KernelIr const& kernel,
                                                 ir::Program const& program,
                                                 std::vector<NDArray> const& inputs,
                                                 Backend const& backend, CodeTier tier,
                                                 ThreadPool& pool) {
  TRY_ASSIGN(Artifact artifact, backend.compile(kernel, tier, CodeTexts::kNone));
  TRY_ASSIGN(LoadedModule module, LoadedModule::load(artifact.library));
  TRY_ASSIGN(void* address, module.symbol(artifact.symbol));
  std::vector<void*> buffers;
  for (NDArray const& input : inputs) buffers.push_back(const_cast<void*>(input.data()));
  std::vector<NDArray> outputs;
  for (ir::Buffer const& output : program.outputs) {
    TRY_ASSIGN(NDArray array, NDArray::create(output->type, *ir::constant_shape(*output)));
    for (int64_t i = 0; i < array.size(); ++i)
      array.set_value(i, std::numeric_limits<double>::quiet_NaN());
    outputs.push_back(std::move(array));
    buffers.push_back(outputs.back().data());
  }
  TRY_ASSIGN(NDArray workspace, NDArray::create(DType::kU8, {artifact.workspace_bytes + 64}));
  buffers.push_back(workspace.data());
  int32_t code = reinterpret_cast<TwKernel>(address)(buffers.data(), pool.runtime());
  if (code == kCheckFailed && tier == CodeTier::kChecked)
    return refused(
        "check_failed",
        describe_report(artifact.accesses,
                        {static_cast<std::byte const*>(workspace.data()) + artifact.report_offset,
                         size_t(kReportBytes)}));
  if (code != 0) return stopped_with("the kernel", code);
  return outputs;
}

}  // namespace tw::testing
