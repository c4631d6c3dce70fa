/// With which codes a step may be refused: what its primitive declares, and what holds of any step.
#pragma once

#include <span>
#include <string_view>

#include "engine/schedule/primitive.h"

namespace tw {

/// Whatever the primitive: the step is not written as it asks, a name is unknown or taken, sizes
/// are symbolic, calls would be moved, or the program after it would not hold. By code.
std::span<std::string_view const> refusals_of_any_step();
/// Further ones while loops of the program are bound to blocks or threads. By code.
std::span<std::string_view const> refusals_while_bound();

/// Whether a step of the primitive on the program may be refused so.
bool may_refuse(Primitive const& primitive, ir::Program const& program, std::string_view code);

}  // namespace tw
