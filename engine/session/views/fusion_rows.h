/// What fusion made of each part of a model: a row for every block, with the operators that it had,
/// the kernels that run it, and the bytes of activations that these write and read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/session/values.h"

namespace tw::session {

struct FusedOperator {
  int node = 0;  ///< index into `nodes_before`
  /// Operators of the row, by their place in it, that it reads.
  std::vector<int> reads = {};
  bool from_outside = false;  ///< it reads a value of another row, or an input
};
struct FusedKernel {
  int group = 0;                ///< index into `groups`
  int64_t moved = 0;            ///< bytes that it writes and reads
  std::vector<int> reads = {};  ///< kernels of the row, by their place in it
};
struct FusedRow {
  std::string title;  ///< the group's; of what is in none: its operators' names
  std::vector<FusedOperator> operators;
  std::vector<FusedKernel> kernels;
  int64_t moved_before = 0, moved_after = 0;  ///< bytes
  /// Why two of its kernels are not one: a sentence for each border, equal ones once.
  std::vector<std::string> reasons = {};
};
struct FusionRows {
  std::vector<FusedRow> rows;
  int64_t moved_before = 0, moved_after = 0;
  int operators = 0;  ///< in all rows
  int left_out = 0;   ///< operators that are in none: what they make is known before the model runs
};

/// Rows follow the order of the graph. A block that is larger than a row should be is shown by its
/// parts. Each value is written once by what makes it, and read once by each operator, or each
/// kernel, that takes it; weights and what is made of them alone do not count.
FusionRows fusion_rows(GraphView const& graph);

}  // namespace tw::session
