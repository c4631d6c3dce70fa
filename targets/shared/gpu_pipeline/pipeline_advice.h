/// How long arithmetic stands still in the pipeline of a block, why, and what would lift it: tried
/// on the same model.
#pragma once

#include <string>

#include "targets/shared/gpu_pipeline/block_run.h"

namespace tw::gpu {

struct PipelineAdvice {
  int loop = 0;            ///< number, in the run, of the loop with the most turns that uses tiles
  int stages = 1;          ///< tiles that are there or on their way
  double turn = 0;         ///< cycles of a turn of all resident blocks
  double idle = 0;         ///< of these the part in which nothing is issued, from 0 to 1
  int better_stages = 0;   ///< that would make a turn shorter; 0: none would
  double better_turn = 0;  ///< with these, for as many blocks
  std::string sentence;
};

PipelineAdvice pipeline_advice(BlockProgram const& program, BlockRun const& run,
                               Multiprocessor const& unit);

/// The same with so many stages more; copies that are waited for where they stand become copies
/// that go on by themselves, and a ring of roles becomes longer. Nothing: the loop is of another
/// form.
std::optional<BlockProgram> with_more_stages(BlockProgram const& program, int loop, int more);

}  // namespace tw::gpu
