/// NVIDIA's GPUs as they are described, by name.
#pragma once

#include <QtGlobal>

#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/hardware/description.h"

namespace tw::testing {

inline Hardware gpu_named(std::string const& name) {
  for (cuda::KnownGpu const& one : cuda::known_gpus())
    if (one.name == name) return one.hardware;
  qFatal("no such GPU");
}

inline std::shared_ptr<Backend const> backend_for(std::string const& gpu) {
  return cuda::create_cuda_backend(gpu_named(gpu), {}).value();
}

}  // namespace tw::testing
