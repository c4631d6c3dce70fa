/// How many blocks and threads a device function is launched with: the extents of its bound loops.
#pragma once

#include <array>
#include <string>

#include "engine/ir/program.h"

namespace tw::gpu {

/// Along x, y and z; 1 where no loop is bound. Block extents are constant.
struct LaunchShape {
  std::array<ir::Expr, 3> grid;
  std::array<int64_t, 3> block;
  int64_t threads() const { return block[0] * block[1] * block[2]; }
};

/// "32 x 32", "8"; dimensions of one at the end are left out.
std::string grid_text(LaunchShape const& shape);
std::string block_text(LaunchShape const& shape);

/// The first loop of each axis says how many there are. Errors: unsupported_statement, where how
/// many threads a block has is known at run time only, or an axis is none of "blockIdx.x" to
/// "threadIdx.z".
Result<LaunchShape> launch_shape(ir::Function const& device_function);

}  // namespace tw::gpu
