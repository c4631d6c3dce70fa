/// Which tensors inside of a loop are alike in all of its iterations.
#pragma once

#include <set>
#include <string>

#include "engine/ir/handles.h"

namespace tw::ir {

/// Names of tensors allocated in the loop that hold the same in each of its iterations, where every
/// iteration has instances of its own: whatever writes them depends neither on the loop's counter
/// nor on a tensor that does. A statement that writes one of them writes no other tensor.
std::set<std::string> common_tensors(For const& loop);

}  // namespace tw::ir
