/// Why a step is not taken: something that can be shown.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/program.h"

namespace tw {

/// One iteration: all loops around the block, outermost first.
struct Iteration {
  std::vector<std::pair<std::string, int64_t>> loops;
};

/// Two iterations that touch one element, at least one of them writing.
struct Conflict {
  Iteration first, second;
  std::string block;
  std::string buffer;
  std::vector<int64_t> index;
  std::string differs;  ///< the loop in which they differ
  bool first_writes = true, second_writes = true;
  bool is_update = false;  ///< both add into the element
};

/// What the engine has tried and found legal: a step, or several with ";" between them.
struct Repair {
  std::string step;
  std::string effect;
};

struct Refusal {
  std::string code;       ///< "reduction_carried"
  std::string message;    ///< sentences, without place
  std::string condition;  ///< the condition that failed
  std::vector<ir::LoopId> culprits;
  std::optional<Conflict> conflict;
  std::vector<Repair> repairs;
  bool undecided = false;
  int line = 0;  ///< of the script
};

}  // namespace tw
