/// What an instruction must keep to before anything of it is carried out.
#pragma once

#include "targets/vta/simulator/machine.h"

namespace tw::vta {

/// That an instruction can be: its fields alone, whatever the memories hold. Errors:
/// impossible_instruction, sram_overflow.
Status check_fields(Configuration const& configuration, Instruction const& instruction);
/// That a LOAD or STORE stays inside of `dram_bytes`. Errors: dram_overflow.
Status check_dram(Configuration const& configuration, Instruction const& instruction,
                  size_t dram_bytes);
/// That every index of a GEMM or ALU is inside of its memory. `uops`: those of its range. Errors:
/// sram_overflow, with the micro-op.
Status check_indices(Configuration const& configuration, Instruction const& instruction,
                     std::span<MicroOp const> uops);
/// That a stream ends with FINISH, and has none before. Errors: no_finish, impossible_instruction.
Status check_end(Configuration const& configuration, std::span<Instruction const> stream);

/// The largest value that the two loops add to an index; 0 where they do not run.
int64_t reach(Nest const& nest, Factors const& factors);

}  // namespace tw::vta
