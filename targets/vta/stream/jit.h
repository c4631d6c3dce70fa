/// Instructions and micro-ops out of calls: which loops are the instruction's and which are written
/// out as micro-ops, what lies in the micro-op cache, where streams are cut. Source: Moreau et al.
/// 2018, §3.
#pragma once

#include "targets/vta/hardware/encoding.h"
#include "targets/vta/stream/calls.h"

namespace tw::vta {

struct JitOptions {
  int64_t most_instructions = (int64_t(32) << 20) / 16;  ///< of one run of the accelerator
  int64_t most_uops = (int64_t(32) << 20) / 4;
};

/// What one run of the accelerator gets: a stream that ends with FINISH, and the micro-ops that its
/// LOAD UOPs read, as one area of memory. Each micro-op kernel has its own part of that area, which
/// nothing replaces: one that was replaced in the cache and is loaded again is right.
/// All loads and stores are done before FINISH, and no token is left over. The first instruction of
/// the compute module waits for no token: it puts out the done flag of the run before. What lies in
/// the accelerator's other memories at the end is there when the next batch begins.
struct Batch {
  Stream stream;
  std::vector<MicroOp> uops;
  std::vector<int32_t> call_of;  ///< per instruction: index of the call it is of; -1: none
};

/// Where parameters and the micro-ops lie: byte addresses. `dram` of the instructions is absolute.
struct Addresses {
  std::vector<uint64_t> tensors;
  uint64_t uops = 0;
};

/// Runs follow one another: a token between calls of two batches is in neither of them.
/// Errors: misaligned (a tensor's address is no multiple of the element that is loaded from it),
/// stream_too_long (one call alone), outside_tensor, sram_overflow, bad_kernel, unencodable; each
/// says which call.
Result<std::vector<Batch>> make_batches(CallProgram const& program, Addresses const& addresses,
                                        JitOptions const& options = {});

/// Bytes that the address of each parameter must be a multiple of, at least 1.
std::vector<int64_t> tensor_alignments(CallProgram const& program);

}  // namespace tw::vta
