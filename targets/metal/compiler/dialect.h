/// The Metal Shading Language, as the shared printer takes it.
#pragma once

#include "targets/shared/c_text/device_function.h"

namespace tw::metal {

/// Where the threads of a threadgroup meet.
inline constexpr char kBarrierName[] = "threadgroup_barrier";
/// Lines that a file begins with.
inline constexpr char kPrologue[] = "#include <metal_stdlib>\nusing namespace metal;\n\n";

c_text::Dialect const& dialect();
c_text::KernelHead const& kernel_head();

}  // namespace tw::metal
