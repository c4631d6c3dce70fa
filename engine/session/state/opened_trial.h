/// A trial's script as steps of a history.
#pragma once

#include <string>

#include "engine/history/history.h"

namespace tw::session {

struct TrialToOpen {
  std::string script;
  std::string name;  ///< "trial 7 of the genetic search"
  double ms = 0;     ///< 0: it has no time
};

/// The history with the trial's steps as a branch from the plain nest, which is current. Errors:
/// step_refused, those of scripts.
Result<History> opened(TrialToOpen const& trial, History history);

}  // namespace tw::session
