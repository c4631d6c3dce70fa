/// How each claim is asked.
#pragma once

#include "engine/tuner/study/claims.h"

namespace tw {

/// Behind the name of an arm whose trials were counted as halves.
inline constexpr std::string_view kTwice = ", twice the trials";

Result<ClaimResult> ask_learned(ClaimStudy& study);
Result<ClaimResult> ask_reference(ClaimStudy& study);
Result<ClaimResult> ask_objective(ClaimStudy& study);
Result<ClaimResult> ask_diversity(ClaimStudy& study);
Result<ClaimResult> ask_uncertainty(ClaimStudy& study);
Result<ClaimResult> ask_transfer(ClaimStudy& study);
Result<ClaimResult> ask_representation(ClaimStudy& study);
Result<ClaimResult> ask_chance(ClaimStudy& study);
Result<ClaimResult> ask_costs(ClaimStudy& study);
Result<ClaimResult> ask_network(ClaimStudy& study);

/// Adds curves of all tables, in the study's order, to what is drawn.
void draw(ClaimStudy const& study, std::vector<Curve> const& curves, ClaimResult& result);

}  // namespace tw
