/// How much memory the parts of a loop nest work on, and what that makes move between caches.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/locality_memo.h"
#include "engine/analysis/touched.h"
#include "engine/ir/program.h"

namespace tw::analysis {

/// What one loop works on.
struct LoopLocality {
  Touched body;      ///< all tensors, in one iteration (in the middle of the loops around)
  Touched whole;     ///< in all iterations
  double reuse = 1;  ///< loads and stores of all iterations for each element they reach
};

/// Distinct bytes of every loop of a program, exact where `Touched` says so. A tensor that is
/// allocated inside of a loop counts once: each iteration uses the same memory.
class Locality {
public:
  /// `line_bytes`: of a line of cache. `memo`: of a program with the same lines; outlives this.
  explicit Locality(ir::Program const& program, int64_t line_bytes = 64,
                    LocalityMemo* memo = nullptr);
  ~Locality();
  Locality(Locality&&) noexcept;

  /// Null: none.
  LocalityMemo* memo() const;
  LoopLocality loop(ir::LoopId id) const;
  /// Of the whole program.
  Touched whole() const;

  /// Bytes in whole lines that move between a cache of `capacity` bytes and the level behind it,
  /// when the cache is empty before: the loops are followed inwards until what one
  /// iteration leaves for the next fits; then every line is brought once for as long as that loop
  /// runs, and written lines leave once. Holds for a fully associative cache that drops the least
  /// recently used line.
  double traffic(int64_t capacity) const;

  /// The largest divisor of the loop's extent for which that many iterations work on no more than
  /// `capacity` bytes of lines; 0: not even one does.
  int64_t largest_fit(ir::LoopId id, int64_t capacity) const;

private:
  struct Node;
  std::unique_ptr<Node> root_;
  std::map<int32_t, Node const*> loops_;
};

}  // namespace tw::analysis
