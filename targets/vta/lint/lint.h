/// What of a stream implementations of the instruction set disagree on, and what none of them can
/// run: the published functional simulator (C++), the HLS design, the Chisel design and the OpenCL
/// kernel. Each row was read off their sources.
#pragma once

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

struct LintFinding {
  int64_t instruction = 0;  ///< of an empty stream: -1
  std::string code;         ///< "alu_mul", "shift_range", "stale_out", "index_overflow", ...
  std::string sentence;     ///< what it is, and who does it otherwise
};

/// In the order of the instructions. Micro-ops are read from `dram`.
std::vector<LintFinding> lint(Configuration const& configuration,
                              std::span<Instruction const> stream, std::span<std::byte const> dram);

}  // namespace tw::vta
