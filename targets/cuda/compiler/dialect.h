/// CUDA C as the shared printer takes it: a text that one reads, and that NVRTC compiles.
#pragma once

#include "targets/shared/c_text/device_function.h"

namespace tw::cuda {

inline constexpr char kBarrierName[] = "sync_threads";  ///< where the threads of a block meet

c_text::Dialect const& dialect();
c_text::KernelHead const& kernel_head();

}  // namespace tw::cuda
