/// What a schedule uses of a machine of blocks and threads, or with memories and instructions of
/// its own.
#pragma once

#include <map>
#include <string>

#include "engine/backend/backend.h"
#include "engine/ir/intrinsic.h"
#include "engine/session/values.h"

namespace tw::session {

BoundTo bound_to(std::string const& axis, Target const& target);

/// The memories that the program's tensors live in, of a target that has axes or memories of a
/// bounded size; and the barriers between its loops, of one that has barriers, where the program
/// can be lowered.
void describe_machine(ir::Program const& program, Backend const& backend, NestView& view);

/// The instructions that are called, by name.
std::map<std::string, ir::Intrinsic> called_instructions(ir::Stmt const& body);
std::map<std::string, ir::Intrinsic> called_instructions(ir::KernelIr const& kernel);
/// Says of a line of text which instruction it calls.
void mark_call(CodeLine& line, std::map<std::string, ir::Intrinsic> const& called);

/// Lines of the whole kernel, with the loops and the calls that are theirs.
CodeText text_of_kernel(ir::KernelIr const& kernel);

}  // namespace tw::session
