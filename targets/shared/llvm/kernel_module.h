/// Kernel IR to an LLVM module: SSA is built directly, register buffers become values, vectors
/// become vector types, and every statement carries its line of the printed kernel as debug
/// location.
#pragma once

#include <memory>
#include <vector>

#include "engine/ir/program.h"
#include "engine/lowering/checks.h"
#include "engine/support/base/error.h"
#include "targets/shared/llvm/instruction_code.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace tw {

class Machine;

/// The module of one kernel; its function has the kernel's name and the shape of TwKernel
/// (engine/runtime/abi.h). Parallel loops become functions of their own, called through the
/// runtime's table. a*b+c is fused; sums are not reordered; NaN and infinities follow IEEE, max and
/// min give NaN when either side is NaN. `instructions` make the values of instructions. Errors:
/// unsupported_expression, unsupported_statement.
Result<std::unique_ptr<llvm::Module>> build_kernel_module(
    ir::KernelIr const& kernel, Machine const& machine, llvm::LLVMContext& context,
    InstructionCodes const& instructions = {});

/// The same with every access checked: returns kCheckFailed and leaves a record (see checks.h)
/// `report_offset` bytes into a workspace of workspace_bytes.
struct CheckedModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<CheckedAccess> accesses;
  int64_t report_offset = 0;
  int64_t workspace_bytes = 0;
};
Result<CheckedModule> build_checked_module(ir::KernelIr const& kernel, Machine const& machine,
                                           llvm::LLVMContext& context,
                                           InstructionCodes const& instructions = {});

}  // namespace tw
