/// What VTA's GEMM core does, as a declaration that `tensorize` matches.
#pragma once

#include "engine/target/target.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// "gemm": ACC [batch][block] += INP [batch][block] x transpose(WGT [block][block]); the loops
/// around it become those of one instruction and of its micro-ops. Source: Moreau et al. 2018,
/// §2.5.
std::vector<TensorIntrinsic> intrinsics_of(Configuration const& configuration);

}  // namespace tw::vta
