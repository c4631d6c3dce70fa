/// The computations of a program as instructions and micro-op kernels.
#pragma once

#include "targets/vta/stream/choose_loops.h"

namespace tw::vta {

/// What one GEMM or ALU call becomes: instructions, each with the number of its kernel.
struct CallPieces {
  std::vector<Nest> nests;
  std::vector<int32_t> kernels;
};

/// Kernels are the same where their micro-ops are.
struct ProgramKernels {
  std::vector<CallPieces> pieces;
  std::vector<std::vector<MicroOp>> kernels;
  std::vector<int32_t> pieces_of_call;  ///< per call: index into `pieces`; -1: of loads and stores
};

/// How many micro-ops an instruction may have is what makes the program fastest by the model, with
/// those that the cache has no room for loaded again.
/// Errors: those of `computation_of`, with the call; stream_too_long, where a call becomes more
/// than `most_instructions` or `most_uops`.
Result<ProgramKernels> make_kernels(CallProgram const& program, int64_t most_instructions,
                                    int64_t most_uops);

}  // namespace tw::vta
