/// How much of a tensor an index reaches while loops run, from the factors of its terms.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/ir/handles.h"

namespace tw::gpu {

inline constexpr int64_t kSectorBytes = 32;  ///< that move at once between L1, L2 and DRAM

/// Loops that run from 0, with their extents; all other variables stand still.
using Running = std::map<std::string, int64_t>;

/// A flat index, taken apart once and asked often.
class IndexReach {
public:
  /// `tensor_bytes`: of all elements; 0: not known.
  IndexReach(ir::Expr const& index, int element_bytes, int64_t tensor_bytes);

  /// Bytes of the sectors that hold what is reached; the tensor begins a sector. Exact where each
  /// term is a loop's counter and steps lie beside or inside of each other, else an upper bound:
  /// quotients and remainders of one counter are taken for independent ones.
  double bytes(Running const& running) const;

private:
  struct Term {
    ir::Expr value;
    int64_t factor = 1;
  };
  std::vector<Term> terms_;
  std::vector<std::string> variables_;
  int element_bytes_;
  int64_t tensor_bytes_;
};

}  // namespace tw::gpu
