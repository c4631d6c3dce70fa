/// Whether the micro-ops that a stream loads are there: memory that nobody wrote reads as zeros,
/// and a verdict on those would be of another program.
#pragma once

#include "targets/vta/hardware/assembly.h"

namespace tw::vta {

/// Errors: missing_micro_ops, with the first instruction that loads some and with what there is
/// in `file`.
Status check_micro_ops(Assembly const& assembly, std::string const& file);

}  // namespace tw::vta
