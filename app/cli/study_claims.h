/// Claims about searches, asked of tables, as `tw study` says them.
#pragma once

#include "app/cli/output.h"
#include "engine/tuner/study/claims.h"

namespace tw::cli {

struct ClaimArguments {
  std::vector<std::string> claims;  ///< keys
  std::vector<StudyTable> tables;
  std::string folder;    ///< for pictures; empty: none are drawn
  double reference = 0;  ///< seconds; 0: the schedule by rule
  int trials = 128, seeds = 10;
};
/// Asks, prints a verdict for each claim (with --json all curves), and draws.
Status study_claims(Context const& context, ClaimArguments arguments);

}  // namespace tw::cli
