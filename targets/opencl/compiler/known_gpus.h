/// Mobile GPUs that are described without one being there.
#pragma once

#include <span>

#include "targets/shared/gpu_text/sheet.h"

namespace tw::opencl {

std::span<gpu_text::Sheet const> known_gpus();
Hardware hardware_of(gpu_text::Sheet const& sheet);

}  // namespace tw::opencl
