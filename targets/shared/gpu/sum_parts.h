/// Long sums of few elements in parts, which different blocks make.
#pragma once

#include <string>
#include <vector>

#include "targets/shared/gpu/steps.h"

namespace tw::gpu {

/// The block that makes `count` parts of each of `block`'s sums along the outermost of its
/// reduction loops, which is `loop`: its loop `part` goes over the parts, its loop `k` over what is
/// left of `loop`. Empty: a step is refused.
std::string make_parts(Steps& steps, std::string const& block, std::string const& loop,
                       int64_t count);

/// The other launch: a thread for each element adds its parts and goes on with `after`, which reads
/// the sums element by element; empty: nothing comes after them. `spatial`: the loops of the
/// elements. False: a step is refused.
bool add_parts(Steps& steps, std::string const& block, std::vector<std::string> const& spatial,
               std::string const& after);

}  // namespace tw::gpu
