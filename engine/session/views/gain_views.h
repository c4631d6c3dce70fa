/// The parts of a schedule that were left out one by one, as they are shown.
#pragma once

#include "engine/session/tuning.h"
#include "engine/tuner/ablation.h"

namespace tw::session {

std::vector<AblatedPart> parts_of(std::vector<SetBack> const& knobs);
std::vector<AblatedPart> parts_of(std::vector<LeftOut> const& steps);
/// Each part's share of what is lost without the parts, one by one.
void fill_shares(std::vector<AblatedPart>& parts);

}  // namespace tw::session
