/// What is no race and yet no good program: tokens, old outputs, micro-ops that are not there.
#pragma once

#include "targets/vta/prover/footprint.h"
#include "targets/vta/prover/happens_before.h"
#include "targets/vta/prover/prover.h"

namespace tw::vta {

/// "left_over_token": nobody pops it, and the next run finds it. "lost_token": more can wait than
/// the queue of a design holds that does not stall. "not_waited_for": a load may still run when
/// FINISH is done.
void find_token_hazards(Configuration const& configuration, std::span<Instruction const> stream,
                        TokenOrder const& order, std::vector<Hazard>& hazards);

/// The first push after which more than `most` tokens can wait, in some run, and how many.
struct Crowd {
  int32_t instruction = 0;
  int64_t waiting = 0;
};
std::optional<Crowd> first_crowd(TokenOrder const& order, TokenQueue queue, int64_t most);

/// "stale_out": a store of what was last written by a LOAD, which leaves OUT as it was.
void find_stale_outputs(Configuration const& configuration, TokenOrder const& order,
                        std::span<Instruction const> stream, std::span<Footprint const> footprints,
                        std::vector<Hazard>& hazards);

/// "uop_wrap": micro-ops that nothing loaded, or of a load of which another one replaced a part.
void find_uop_hazards(Configuration const& configuration, std::span<Instruction const> stream,
                      std::vector<Hazard>& hazards);

}  // namespace tw::vta
