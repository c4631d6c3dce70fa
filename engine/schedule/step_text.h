/// A step in a line of text, for who reads lines of his own around it.
#pragma once

#include <functional>

#include "engine/ir/parse_expr.h"
#include "engine/schedule/primitive.h"

namespace tw {

/// Whether something is the name of a step.
using StepNames = std::function<bool(std::string_view name)>;

/// Reads to the end of the line: "o.0, o.1 = split(conv2d.o, factor=16)". Errors: those of
/// `parse_step`.
Result<Step> read_step(ir::LineReader& reader, StepNames const& is_step);

}  // namespace tw
