/// Device functions of kernel IR as an LLVM module for a machine of blocks and threads.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/ir/stmt.h"
#include "engine/ir/text.h"
#include "engine/support/base/error.h"

namespace llvm {
class Function;
class LLVMContext;
class Module;
}  // namespace llvm

namespace tw {

class Machine;
struct DeviceShell;
/// By call: the call of an instruction of the target's own that is made in its place.
using OwnCalls = std::map<ir::StmtNode const*, ir::Stmt>;

/// What a device's code generator has of its own.
struct DeviceKind {
  unsigned global_space = 1, shared_space = 3;  ///< address spaces
  uint64_t tensor_alignment = 64;  ///< bytes that first elements of parameters are multiples of
  /// Fills `counter` and `calls`.
  void (*fill)(DeviceShell& shell) = nullptr;
  /// Says that the host launches the function, with so many threads of a block.
  void (*mark)(llvm::Function& function, std::array<int64_t, 3> const& block) = nullptr;
};

/// A device function as its launch has it.
struct DeviceFunction {
  std::string name;
  std::array<int64_t, 3> block{};  ///< threads
  /// Shared tensors that lie in the variable `kGivenShared`, which the launch gives its size, by
  /// their bytes from its begin. Others are declared.
  std::map<std::string, int64_t> given_shared = {};
};
inline constexpr char kGivenShared[] = "tw_block_memory";

/// Each function's parameters: tensors in their order, sizes as i64, and a pointer to the fault
/// word. `functions`: in the order of `kernel.device`. `own_calls`: what is made in the place of
/// calls. a*b+c is fused. Errors: unsupported_statement, unsupported_expression,
/// unsupported_intrinsic.
Result<std::unique_ptr<llvm::Module>> build_device_module(
    ir::KernelIr const& kernel, ir::PrintedProgram const& printed, Machine const& machine,
    DeviceKind const& kind, std::vector<DeviceFunction> const& functions, OwnCalls const& own_calls,
    llvm::LLVMContext& context);

}  // namespace tw
