/// The register tile of a sum: which axes become lanes and copies.
#pragma once

#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "targets/cpu/compiler/rules/rules.h"

namespace tw {

struct Tile {
  size_t vector = 0;  // index of the axis of lanes
  int64_t lanes = 1;
  int64_t vectors = 1;           // of lanes, side by side
  std::vector<int64_t> factors;  // copies per axis
  std::optional<size_t> blocks;  // the axis that counts vectors of lanes in a layout of blocks

  int64_t copies() const {  // statements of the innermost loop
    return std::accumulate(factors.begin(), factors.end(), vectors, std::multiplies<>());
  }
};

/// By the rule where the building's decisions say nothing else.
Tile choose_tile(Building& building, RuleStage const& stage, Target const& target, int64_t width);

/// A vector along the axis is a broadcast or contiguous in every read; `block` is how many elements
/// lie side by side.
bool contiguous(RuleStage const& stage, RuleAxis const& axis, int64_t width, int64_t& block);

/// How many neighbours along an axis share each vector that is read along the lanes: the whole
/// extent where that vector does not depend on the axis, a group where it depends on v // P, and 1
/// where every copy reads its own.
int64_t sharing(RuleStage const& stage, RuleAxis const& lanes, RuleAxis const& axis);

}  // namespace tw
