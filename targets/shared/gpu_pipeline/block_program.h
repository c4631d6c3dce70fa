/// What a block of threads does one thing after the other, with what each thing costs its
/// multiprocessor: the pipeline of copies and arithmetic, before anybody knows when.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "targets/shared/gpu/time_model.h"

namespace tw::gpu {

/// Of all threads of a block, once.
struct OpCost {
  double products = 0;  ///< cycles of multiply-adds
  double others = 0;    ///< cycles that further instructions are issued in, beyond these
  double shared = 0;    ///< passes of shared memory, and what L1 answers
  double bytes = 0;     ///< of main memory that L1 does not have
};

struct BlockOp {
  enum class Kind : uint8_t {
    kCopy,     ///< from main memory into a tensor of the block or of a thread
    kCompute,  ///< reads what is near
    kStore,    ///< into main memory
    kCommit,   ///< what was copied since the last one is a group
    kWait,     ///< until at most `groups` of them are under way
    kBarrier,  ///< until all threads of the block are there
    // Of roles: of the turn `groups` later, or earlier, than the one at hand.
    kArrive,  ///< at the phase of `tensor` that ends the turn
    kAwait,   ///< until those of the turn have arrived
  };
  Kind kind = Kind::kCompute;
  bool async = false;  ///< a copy that goes on by itself; an arrival that waits for such
  int groups = 0;
  int parts = 1;  ///< of a loop, whose iterations overlap their loads with each other's arithmetic
  OpCost cost;
  std::vector<std::string> reads, writes;  ///< tensors, once each
  std::string tensor;                      ///< of main memory that it copies or writes
  int line = 0;                            ///< of the printed kernel
};

/// An op, or a loop around several that the threads of a block meet in.
struct BlockItem {
  BlockOp op;
  std::string loop;  ///< empty: an op
  int64_t extent = 1;
  std::vector<BlockItem> items = {};
  bool is_loop() const { return !loop.empty(); }
};

/// What a run needs besides.
struct BlockRates {
  double cycles_per_byte = 0;  ///< of main memory, for this multiprocessor's part of its bandwidth
  double copy_latency = 0;     ///< cycles until the first byte is there
  double shared_latency = 0;
};

struct BlockProgram {
  std::vector<BlockItem> items;
  std::vector<BlockItem> filling = {};  ///< of threads that fill tiles for the others, at once
  int ring = 0;                         ///< tiles of theirs; 0: all threads do the same
  std::vector<std::string> shared;      ///< tensors of the block
  int64_t staged_bytes = 0;             ///< of those that are copied to
  int resident = 1;                     ///< blocks of the fullest multiprocessor
  BlockRates rates;
  LaunchTime time;  ///< of the launch
};

/// Errors: no_pipeline, where nothing is copied into shared memory turn by turn, or a size is not
/// known. `data_bytes`: as `launch_time` takes it.
Result<BlockProgram> block_program(ir::Function const& device_function,
                                   ir::PrintedProgram const& printed, Multiprocessor const& unit,
                                   Rates const& rates, double data_bytes);

/// The loops that the block meets in, outermost ones alone.
std::vector<BlockItem const*> turn_loops(std::vector<BlockItem> const& items);
/// Iterations of the innermost ones in a loop, all together.
int64_t turns_of(BlockItem const& loop);

}  // namespace tw::gpu
