/// Which elements of a tensor are reached while some loops run: counted, not estimated.
///
/// An index is a sum of terms. Terms that share no loop are independent, so that the indices that a
/// dimension takes are the sums of one value of each term's set (a Minkowski sum), and dimensions
/// that share no loop make a product. Only where terms share a loop (after fuse: f // 56 and f %
/// 56) are that loop's iterations gone through.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/ir/program.h"

namespace tw::analysis {

/// One load or store. Indices speak of loops: the iterators of the block are replaced by their
/// bindings.
struct TensorAccess {
  ir::Buffer buffer;
  std::vector<ir::Expr> indices;
  bool writes = false;
  bool update = false;  ///< of the tensor that a reduction adds to
};

/// Every load and store of the block's body, in the order of the text.
std::vector<TensorAccess> accesses_of(ir::BlockSite const& site);

/// Values of variables that stand still, and extents of loops that run from 0.
struct Iterations {
  std::map<std::string, int64_t> standing;
  std::map<std::string, int64_t> running;
};

/// An access while its loops run.
struct RunningAccess {
  TensorAccess const* access;
  Iterations iterations;
};

struct Touched {
  int64_t bytes = 0;
  int64_t line_bytes = 0;  ///< of the cache lines that hold them, the tensor begins a line
  bool exact = true;       ///< false: an upper bound
};

/// What accesses to one tensor reach together. Indices outside of the tensor (padding that a select
/// skips) do not count. Where an index is data, every choice counts as another place, up to the
/// whole dimension. Not exact then, when more than six accesses reach different places, or when a
/// set has more than some millions of values.
Touched touched(std::vector<RunningAccess> const& accesses, int64_t line_bytes);

}  // namespace tw::analysis
