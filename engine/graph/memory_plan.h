/// One arena for all intermediate tensors: where each one lies and while which steps it lives.
#pragma once

#include <map>
#include <optional>

#include "engine/graph/graph.h"

namespace tw {

struct Allocation {
  ValueId value;
  int64_t offset = 0;  ///< bytes from the arena's start, a multiple of 64
  int64_t bytes = 0;
  int first = 0;  ///< step (group) that makes it
  int last = 0;   ///< last step that reads it
};

struct MemoryPlan {
  std::vector<Allocation> allocations;  ///< by first step
  int64_t arena_bytes = 0;
  int64_t unplanned_bytes = 0;  ///< if every tensor had its own memory

  Allocation const* find(ValueId value) const;
};

/// Bytes that a value takes of an arena, a multiple of 64; empty: its size is not known.
std::optional<int64_t> planned_bytes(Value const& value);

/// Gives each of `open`, whose offsets do not count, a place in an arena of its own: largest first,
/// each at the lowest place that is free while it lives. `steps`: more than every `last`.
MemoryPlan arrange(std::vector<Allocation> open, int steps);

/// Steps are the graph's groups. Inputs, constants and outputs of the model are the caller's and
/// not in the arena; values inside a group are its kernel's. Tensors of unknown size are left out.
MemoryPlan plan_memory(Graph const& graph);

}  // namespace tw
