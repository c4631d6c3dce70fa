/// What a proof of a launch's order says, in words.
#pragma once

#include "engine/lowering/launch_order.h"

namespace tw::testing {

inline std::string said(LaunchOrder const& order) {
  std::string all = order.undecided;
  for (LaunchFault const& fault : order.faults) all += fault.code + ": " + fault.sentence + "\n";
  return all;
}

}  // namespace tw::testing
