/// Where elements of tensors stand in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/ir/stmt.h"

namespace tw::arith {

/// Bytes that the place of an element is a multiple of, whatever the variables are: from the index
/// into a flat tensor, its elements' bytes, and what the place of the first one is a multiple of.
int64_t alignment_of(ir::Expr const& index, int64_t element_bytes, int64_t of_first);

/// The index at iteration 0 of a loop whose iterations reach elements side by side, of which
/// `lanes` are a vector that stands at a multiple of its size; nothing: they do not, or it is not
/// known to. `of_first` as above; 0: vectors may stand anywhere.
std::optional<ir::Expr> vector_begin(ir::Expr const& index, std::string const& counter,
                                     int64_t element_bytes, int lanes, int64_t of_first);

/// The number that a call's operand is, or the first element of what it covers, a Load.
ir::Expr first_of(ir::Operand const& operand);

}  // namespace tw::arith
