/// A nest beside an instruction's behaviour, part by part.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/intrinsic.h"
#include "engine/schedule/legality/single_block_nest.h"

namespace tw {

/// A behaviour of loops around one assignment.
struct Behaviour {
  std::vector<ir::For const*> loops;
  ir::Store const* store = nullptr;
};
/// Empty where it is something else, or where an element of a parameter is chosen by more than a
/// loop per dimension: no nest is matched with it.
std::optional<Behaviour> behaviour_of(ir::IntrinsicNode const& intrinsic);

/// For each loop of the behaviour the nest's loop that it is; null: a loop of one iteration, which
/// the nest does not have.
using LoopPairs = std::vector<ir::For const*>;

/// What the parameters are, by name, as the nest says it; and how far the two agree.
struct NestComparison {
  std::map<std::string, ir::Expr> elements;  ///< of tensors, Loads over the nest's loops
  std::map<std::string, ir::Expr> scalars;
  bool same = false;
  int parts = 0;           ///< that agree, up to the first difference
  std::string difference;  ///< the first one, a sentence
};
/// Products, sums, minima and maxima may have their sides exchanged. Extents are not looked at, but
/// those that are parameters get their values.
NestComparison compare(SingleBlockNest const& nest, ir::IntrinsicNode const& intrinsic,
                       Behaviour const& behaviour, LoopPairs const& pairs);

/// `for i in 4, k in 4: c[i] = ...`
std::string behaviour_text(Behaviour const& behaviour);

}  // namespace tw
