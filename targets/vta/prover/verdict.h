/// What a proof says, in a line and beside a timeline.
#pragma once

#include "engine/hardware/timeline.h"
#include "targets/vta/prover/prover.h"

namespace tw::vta {

/// "no race, no deadlock: proved for 41 instructions".
std::string verdict_of(ProofResult const& proof, std::span<Instruction const> stream);
/// The verdict and what was found, into the timeline of the same stream.
void tell_verdict(Timeline& timeline, ProofResult const& proof,
                  std::span<Instruction const> stream);

}  // namespace tw::vta
