/// What a person marked in the histories: stars, names, and the states that others are compared
/// with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/values.h"

namespace tw::session {

struct Bookmark {
  bool tagged = false;
  std::string name;  ///< that a person gave it; empty: none
};

/// A kernel's time twice: at its baseline and where the model runs it now, or on two devices.
struct KernelDifference {
  int kernel = -1;
  std::string name;
  int count = 1;              ///< how often the model runs it
  std::string before, after;  ///< what the times are of
  std::optional<double> before_ms, after_ms;
  /// Above 1 it became faster; empty where a time is missing.
  std::optional<double> speedup() const {
    if (!before_ms || !after_ms || *before_ms <= 0 || *after_ms <= 0) return std::nullopt;
    return *before_ms / *after_ms;
  }
};

struct Marks {
  std::map<int, Bookmark> states;               ///< of the current kernel, by its history's nodes
  int baseline = -1;                            ///< of the current kernel; -1: none
  std::optional<RooflinePoint> baseline_point;  ///< empty: there is none, or it is not modelled
  std::vector<KernelDifference> kernels;  ///< those that have a baseline, in the table's order
};

}  // namespace tw::session
