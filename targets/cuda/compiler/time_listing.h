/// Where a launch's modelled time goes, in words.
#pragma once

#include "engine/backend/backend.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/shared/gpu/time_model.h"

namespace tw::cuda {

/// A few lines for each of `kernel.device`, whose names are `names`. Registers are those of
/// `assembled` where there is one.
CodeListing time_listing(std::string const& key, ir::KernelIr const& kernel,
                         std::vector<std::string> const& names, gpu::Multiprocessor const& unit,
                         Result<gpu::Rates> const& rates, Result<Assembled> const& assembled);

}  // namespace tw::cuda
