/// Whether a step is written as its primitive asks for, whatever the program.
#pragma once

#include "engine/schedule/primitive.h"

namespace tw {

/// As many targets and names as it takes, and no argument that it does not have.
std::expected<void, Refusal> validate_form(Primitive const& primitive, Step const& step);
/// No argument is missing.
std::expected<void, Refusal> validate_complete(Primitive const& primitive, Step const& step);
/// Both, and what each argument may be on the target; presets are filled in.
std::expected<Step, Refusal> validate(Primitive const& primitive, Step step, Target const& target);

}  // namespace tw
