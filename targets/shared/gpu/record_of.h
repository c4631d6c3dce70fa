/// The record of launches of a kernel whose launches were cut (`cut_launches`).
#pragma once

#include <functional>

#include "engine/ir/program.h"
#include "targets/shared/launch_record/launch_record.h"

namespace tw::gpu {

/// What the code generator made of a device function, as far as a launch must know it.
struct LaunchedCode {
  std::string name;          ///< of the function in the device's part
  bool takes_fault = false;  ///< its last argument is the fault word
  int64_t shared_bytes = 0;  ///< that it is given when it is launched
};

/// `made`: one for each of `kernel.device`. A function's arguments are its tensors in their order,
/// then its sizes. Errors: unsupported_statement.
Result<launch_record::KernelRecord> record_of(ir::KernelIr const& kernel, std::string symbol,
                                              std::vector<LaunchedCode> const& made);

}  // namespace tw::gpu
