/// Runs the blocks of a multiprocessor side by side on its parts, op by op: who comes first is
/// served first. Times are cycles, modelled.
#pragma once

#include "targets/shared/gpu_pipeline/block_program.h"

namespace tw::gpu {

/// One op of a block as it comes by, turn after turn.
struct RunStep {
  BlockOp op;
  int turn = -1;              ///< of its loop, from 0; -1: outside of all
  int loop = -1;              ///< number of the outermost loop that it is in
  double arrive = 0;          ///< what comes before has been issued
  double begin = 0, end = 0;  ///< of its work; of a copy: until all of it is there
};

/// Turns of a loop, of which the first ones are run.
struct RunLoop {
  std::string name;
  int64_t turns = 0;
  int run = 0;
  bool fills = false;  ///< of threads that fill tiles for the others
};

struct RunSteps {
  std::vector<RunStep> steps;
  std::vector<RunLoop> loops;
  std::vector<std::string> shared;  ///< tensors of the block: barriers alone order what they hold
  int filling = 0;                  ///< of the steps, first ones: of threads that fill tiles
  int ring = 0;                     ///< as of the program

  bool is_shared(std::string const& tensor) const;
  bool fills(size_t step) const { return step < size_t(filling); }
};
/// The ops in their order, of each loop the first turns alone.
RunSteps unrolled(BlockProgram const& program);

enum class UnitPart : uint8_t { kCopies, kShared, kArithmetic };

/// A part works for a block.
struct UnitSpan {
  enum class Work : uint8_t { kCopy, kStore, kShared, kProducts, kOthers };
  UnitPart part = UnitPart::kCopies;
  Work work = Work::kCopy;
  int block = 0, step = 0;
  double begin = 0, end = 0;
};

struct BlockRun {
  RunSteps run;  ///< with the times of block 0
  std::vector<UnitSpan> spans;
  std::vector<std::vector<double>> turn_begins;  ///< of block 0, of each loop
  double end = 0;                                ///< of the last block

  /// Cycles of a turn once the pipeline is full; of less than three turns all of the run.
  double turn_cycles(size_t loop) const;
};

inline constexpr double kMeetingCycles = 20;  ///< until all warps of a block go on

BlockRun run_blocks(RunSteps const& steps, int blocks, BlockRates const& rates);

}  // namespace tw::gpu
