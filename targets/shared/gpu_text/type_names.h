/// What OpenCL C and Metal call the types of elements.
#pragma once

#include <string>

#include "engine/tensor/dtype.h"

namespace tw::gpu_text {

std::string type_name(DType type);

}  // namespace tw::gpu_text
