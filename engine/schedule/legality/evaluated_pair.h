/// A pair of iterations that a search found, evaluated as the program would run them: what a solver
/// was not told of guards and indices shows here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ir/program.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/refusal.h"

namespace tw {

/// The values of expressions in an iteration; nothing where one depends on data.
std::optional<std::vector<int64_t>> values_at(std::vector<ir::Expr> const& all,
                                              Iteration const& at);

enum class Meeting : uint8_t {
  kMeet,    ///< both accesses happen and touch one element
  kApart,   ///< one of them does not happen, or they touch different elements
  kByData,  ///< what they touch, or whether they happen, depends on data
};

struct EvaluatedPair {
  Meeting meeting = Meeting::kApart;
  std::vector<int64_t> index;  ///< the element; of accesses by data as far as one of them tells it
};

/// One access of each block, each in an iteration of its loops.
EvaluatedPair evaluated_pair(ir::BlockSite const& a, Access const& x, Iteration const& first,
                             ir::BlockSite const& b, Access const& y, Iteration const& second);

}  // namespace tw
