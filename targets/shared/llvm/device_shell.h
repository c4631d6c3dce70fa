/// What a device's code generator gives to the emitter of a device function.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/ir/stmt.h"
#include "targets/shared/llvm/device_module.h"
#include "targets/shared/llvm/single_math.h"

namespace tw {

/// A device function as its target has it, beside what every function has.
struct DeviceShell {
  std::map<std::string, llvm::Value*> tensors;  ///< first elements, of parameters and shared memory
  llvm::Value* fault = nullptr;                 ///< an i32 that is set where it divided by zero
  /// The counter of a loop that is bound to the axis, as i64; null: there is no such axis.
  std::function<llvm::Value*(llvm::IRBuilder<>&, std::string const& axis)> counter;
  /// What stands for calls, by the instruction's name. Operands: the address of what each begins
  /// with, or the number that it is, as i64.
  using Call = std::function<void(llvm::IRBuilder<>&, std::vector<llvm::Value*> const& operands)>;
  std::map<std::string, Call> calls;
  OwnCalls const* own_calls = nullptr;  ///< in the place of others
  Reciprocal reciprocal;                ///< where the device has one of its own
};

}  // namespace tw
