/// Loops whose iterations run as lanes, as C with vectors.
#pragma once

#include "targets/shared/c_text/statements.h"

namespace tw::c_text {

/// Prints the loop with vectors of two or four lanes where it stores elements side by side, or
/// reads some. False, and nothing is printed: its dialect has none, its body is more than one
/// store, or nothing stands where a vector may.
bool print_vector_loop(Statements& statements, Expressions& expressions, ir::For const& loop);

}  // namespace tw::c_text
