/// What a machine mostly computes with, and how much of it a kernel needs.
#pragma once

#include <string>
#include <string_view>

#include "engine/hardware/hardware.h"
#include "engine/ir/program.h"

namespace tw::analysis {

/// "f32", or the type of the machine's first roof where it has none for that.
std::string counted_type(Roofs const& roofs);
/// "GFLOP/s" of floats, "GOP/s" of integers.
std::string arithmetic_unit(std::string_view type);

/// Of sums of products of integers, a multiply-add is two; borders of zeros count too, as a machine
/// for such sums computes them.
double integer_operations(ir::Program const& plain);

}  // namespace tw::analysis
