/// NVIDIA's GPUs as a target: PTX by LLVM, with CUDA C beside it to read.
#pragma once

#include "engine/backend/backend.h"

namespace tw::cuda {

/// `generator`: as `Machine::create` takes it. Errors: wrong_processor, unknown_processor.
Result<std::shared_ptr<Backend const>> create_cuda_backend(Hardware const& hardware,
                                                           std::string generator);

}  // namespace tw::cuda
