/// Whether a step is written as its primitive asks for, whatever the program.
#pragma once

#include "engine/schedule/primitive.h"

namespace tw {

/// The refusal of a step that is not written as it must be.
Refusal unusable(std::string code, std::string message);

/// As many targets and names as it takes, and no argument that it does not have.
std::expected<void, Refusal> validate_form(Primitive const& primitive, Step const& step);
/// No argument is missing.
std::expected<void, Refusal> validate_complete(Primitive const& primitive, Step const& step);
/// Both, and what each argument may be on the target; presets are filled in.
std::expected<Step, Refusal> validate(Primitive const& primitive, Step step, Target const& target);

/// Whether a target of a step is a block: by its kind, or, where it may be either, by its name.
bool is_block_target(ir::Program const& program, Primitive const& primitive, size_t index,
                     std::string const& name);

}  // namespace tw
