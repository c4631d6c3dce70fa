/// A schedule whose parts are left out one by one, and the view that is made of it.
#pragma once

#include "engine/session/model/model.h"
#include "engine/session/tuning.h"
#include "engine/tuner/ablation.h"

namespace tw::session {

struct Ablated {
  int number = 0;
  Model model = {};
  int row = -1;
  std::string title = {};
  std::string script = {};
  /// Of the target's template; empty: the script's steps are left out instead.
  Point point = {};
};

/// Without losses.
std::vector<AblatedPart> parts_of(std::vector<SetBack> const& knobs);
std::vector<AblatedPart> parts_of(std::vector<LeftOut> const& steps);
/// Each part's share of what is lost without the parts, one by one.
void fill_shares(std::vector<AblatedPart>& parts);

}  // namespace tw::session
