/// The processor's roof probes: peak arithmetic and bandwidth, as kernels like any other.
#pragma once

#include "engine/hardware/roof_probes.h"
#include "engine/support/base/error.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"
#include "targets/shared/link/link.h"
#include "targets/shared/llvm/machine.h"

namespace tw {

/// Builds and links the probes for `machine`, with vectors of `vector_bytes`; of `intrinsics`,
/// which the machine must have, the first one of each kind of products.
Result<RoofProbes> build_cpu_roof_probes(Machine const& machine, int vector_bytes,
                                         LinkOptions const& link = {},
                                         std::vector<CpuIntrinsic const*> const& intrinsics = {});

}  // namespace tw
