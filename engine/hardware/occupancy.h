/// How many blocks of a kernel a multiprocessor runs at once, and what limits them.
#pragma once

#include <cstdint>
#include <string>

namespace tw::gpu {

/// What a multiprocessor has, in the terms of NVIDIA's occupancy calculation (cuda_occupancy.h).
struct Multiprocessor {
  int warp = 32;                   ///< threads
  int partitions = 4;              ///< each runs warps with registers of its own
  int64_t registers = 65536;       ///< of 32 bits, of all partitions
  int register_unit = 256;         ///< registers that a warp's are rounded up to
  int registers_per_thread = 255;  ///< the most
  int max_warps = 64, max_blocks = 32;
  int max_threads = 1024;          ///< of a block
  int64_t shared_per_unit = 0;     ///< bytes, of all blocks
  int64_t shared_per_block = 0;    ///< bytes, the most
  int64_t shared_reserved = 1024;  ///< of each block, for the system
  int64_t shared_unit = 128;       ///< bytes that a block's are rounded up to
};

/// What a kernel takes.
struct KernelUse {
  int registers = 0;         ///< of a thread
  int64_t shared_bytes = 0;  ///< of a block
  int threads = 1;           ///< of a block
};

enum class Limit : uint8_t { kWarps, kBlocks, kRegisters, kShared, kCannotRun };

struct Occupancy {
  int blocks = 0;    ///< of a multiprocessor at once; 0: it cannot run
  int warps = 0;     ///< of these blocks
  double share = 0;  ///< of the warps that there could be
  Limit limit = Limit::kCannotRun;
};

Occupancy occupancy(Multiprocessor const& unit, KernelUse const& use);

/// Blocks that this alone would let run at once; a great number where it bounds nothing.
int64_t blocks_within(Multiprocessor const& unit, KernelUse const& use, Limit limit);

/// "registers", "shared memory", "warps", "blocks".
std::string limit_text(Limit limit);

/// The least change of what limits that brings one block more: "4 registers fewer for each thread".
/// Empty: nothing does, or warps are all in use.
std::string next_step(Multiprocessor const& unit, KernelUse const& use);

}  // namespace tw::gpu
