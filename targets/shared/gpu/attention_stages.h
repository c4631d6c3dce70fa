/// Attention as a program has it: the stages that its schedules by rule are about.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/ir/program.h"
#include "targets/shared/gpu/stage_loops.h"

namespace tw::gpu {

/// P = Q K', its greatest of each row, powers of e, their sums, and their product with V: in this
/// order, with their loops: those outside of the rows, rows, columns.
struct Attention {
  enum Stages : size_t { kScores, kGreatest, kPowers, kSums, kResult, kStages };

  std::array<std::string, kStages> blocks;
  std::array<StageLoops, kStages> loops;
  /// Of scores, element by element, before their greatest is looked for: a mask that is added, or a
  /// choice by the indices; empty: there is none.
  std::string mask;
  int64_t rows = 0, keys = 0, columns = 0;  ///< columns: of the result
  int64_t depth = 0;                        ///< terms of a score
};

/// Nothing: it is another program, or one of rows too short to be shared by threads.
std::optional<Attention> attention_of(ir::Program const& program);

}  // namespace tw::gpu
