/// One word of an instruction's line: "sram=4", "pop_next". For who reads such lines with words of
/// their own among them.
#pragma once

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

/// Sets what the word says. Errors: bad_assembly, without place: there is no such field of this
/// opcode, or this is no value of it.
Status set_line_field(Instruction& instruction, std::string_view word);

/// The words of an instruction's fields and tokens, each with a blank before it; those at their
/// default are left out.
std::string line_fields(Instruction const& instruction);

}  // namespace tw::vta
