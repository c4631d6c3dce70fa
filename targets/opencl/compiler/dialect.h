/// OpenCL C, version 1.2, as the shared printer takes it.
#pragma once

#include "targets/shared/c_text/device_function.h"

namespace tw::opencl {

c_text::Dialect const& dialect();
c_text::KernelHead const& kernel_head();

}  // namespace tw::opencl
