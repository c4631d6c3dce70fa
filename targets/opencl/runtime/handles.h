/// Handles of OpenCL that go back with the value.
#pragma once

#include <memory>
#include <type_traits>

#include "targets/opencl/runtime/opencl_functions.h"

namespace tw::opencl {

/// `release` is the member of `Functions` that gives it back.
template <typename Handle, auto release>
struct Releaser {
  Functions const* cl = nullptr;
  void operator()(Handle handle) const { (cl->*release)(handle); }
};
template <typename Handle, auto release>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Releaser<Handle, release>>;

using Context = Owned<cl_context, &Functions::clReleaseContext>;
using Queue = Owned<cl_command_queue, &Functions::clReleaseCommandQueue>;
using Memory = Owned<cl_mem, &Functions::clReleaseMemObject>;
using Program = Owned<cl_program, &Functions::clReleaseProgram>;
using Kernel = Owned<cl_kernel, &Functions::clReleaseKernel>;
using Event = Owned<cl_event, &Functions::clReleaseEvent>;

}  // namespace tw::opencl
