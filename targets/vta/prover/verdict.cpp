#include "targets/vta/prover/verdict.h"

#include <fmt/format.h>

#include "engine/support/base/quantities.h"

namespace tw::vta {

std::string verdict_of(ProofResult const& proof, std::span<Instruction const> stream) {
  if (proof.proven())
    return fmt::format("no race, no deadlock: proved for {}",
                       count_text(int64_t(stream.size()), "instruction"));
  if (!proof.deadlock.empty()) return "deadlock: " + proof.deadlock;
  if (proof.race_count > 0) return count_text(proof.race_count, "race");
  return "not decided: " + proof.undecided;
}

void tell_verdict(Timeline& timeline, ProofResult const& proof,
                  std::span<Instruction const> stream) {
  timeline.proven = proof.proven();
  timeline.verdict = verdict_of(proof, stream);
  for (Race const& race : proof.races)
    timeline.findings.push_back(
        {"race", to_sentence(race, stream), {int32_t(race.first), int32_t(race.second)}});
  for (Hazard const& hazard : proof.hazards)
    timeline.findings.push_back({hazard.code, hazard.sentence, {int32_t(hazard.instruction)}});
}

}  // namespace tw::vta
