/// Which loops of a computation an instruction runs, and which are written out as micro-ops.
#pragma once

#include <span>

#include "targets/vta/stream/computation.h"

namespace tw::vta {

/// Micro-ops of which two with the same accumulator stand at least so far apart, where that can be:
/// the result of one is not back before (3 cycles of the published hardware, and one to spare).
inline constexpr int64_t kAccumulatorSpacing = 4;

/// Of each loop so many iterations are the instruction's outer and inner loop; the rest of it, and
/// all others, are micro-ops. `peeled` loops (the first ones) are instructions of their own.
struct LoopChoice {
  int outer = -1, inner = -1;  ///< index of a loop; -1: none
  int64_t outer_count = 1, inner_count = 1;
  int peeled = 0;

  // What it costs, by the model.
  bool spaced = false;       ///< accumulators are far enough apart
  int64_t instructions = 1;  ///< that one call becomes
  int64_t uops = 1;          ///< of each of them
  double cycles = 0;         ///< of one call, micro-ops at hand
  double load_cycles = 0;    ///< to load all its micro-ops
};

/// All that the instruction's fields allow and that keep an order that must be kept.
/// `most_uops`: of one instruction. Never empty.
std::vector<LoopChoice> loop_choices(Configuration const& configuration,
                                     Computation const& computation, int64_t most_uops);

/// The best of those with well spaced accumulators, else of all, where micro-ops are loaded once in
/// `uses` calls.
LoopChoice const& best_choice(std::span<LoopChoice const> choices, double uses);

/// One instruction, but for where its micro-ops lie.
struct Piece {
  Nest nest;
  std::vector<MicroOp> uops;
};
/// `most_uops`: of each piece. The choice's instructions and micro-ops together must be so few that
/// they can be written out.
std::vector<Piece> pieces_of(Computation const& computation, LoopChoice const& choice,
                             int64_t most_uops);

}  // namespace tw::vta
