/// Calls of a host function that run a device function: `IntrinsicNode::function` of one kernel.
#pragma once

#include <string_view>

#include "engine/ir/program.h"

namespace tw::ir {

/// Null: the kernel has none of this name.
Function const* device_function(KernelIr const& kernel, std::string_view name);

/// The call that runs a device function of that body: the sizes and tensors around it, of the names
/// that the function has for its sizes and parameters. It has the body's origin.
Stmt launch_of(Function const& function);

/// Every call that launches names a device function of the kernel, and hands over its sizes, then
/// its parameters. Errors: invalid_kernel.
Status verify_launches(KernelIr const& kernel);

/// The host's body with what each launch runs in its place: the kernel as if it had no device
/// functions. It must meet `verify_launches`.
Stmt with_launched_bodies(KernelIr const& kernel);

}  // namespace tw::ir
