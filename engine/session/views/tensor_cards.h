/// The tensors of a program, and which blocks read and write them.
#pragma once

#include "engine/ir/program.h"
#include "engine/session/values.h"

namespace tw::session {

std::vector<TensorCard> tensor_cards(ir::Program const& program);

}  // namespace tw::session
