/// OpenCL devices as the product describes machines.
#pragma once

#include "engine/hardware/hardware.h"

namespace tw::opencl {

inline constexpr char kOpenClTarget[] = "opencl";  ///< `Hardware::target`

// Words of `Hardware::code`.
inline constexpr char kThreads[] = "threads";  ///< the most of a work-group
inline constexpr char kDoubles[] = "fp64";     ///< "yes": it computes with f64
inline constexpr char kKind[] = "kind";        ///< "CPU", "GPU", "accelerator"

/// Of `Hardware::memories`: what a work-group shares.
inline constexpr char kLocalMemory[] = "local";

/// What the code generator must know of a device.
struct Limits {
  int64_t threads = 256;
  int64_t local_bytes = 32 << 10;
  bool doubles = false;
};

/// A device of which nothing is known: 256 work-items share 32 KiB, the least that a full profile
/// has (OpenCL 1.2, table 4.3, CL_DEVICE_LOCAL_MEM_SIZE).
Hardware any_device();
/// Errors: wrong_processor, where the description is of no OpenCL device.
Result<Limits> limits_of(Hardware const& hardware);

}  // namespace tw::opencl
