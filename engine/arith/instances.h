/// How many instances of a tensor there are at its place, and what one of them holds: the one
/// account of memory that legality, lowering and whoever shows it have.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/arith/packing.h"
#include "engine/ir/sharing.h"

namespace tw::arith {

/// Of a tensor that is allocated inside of loops.
struct Instances {
  /// That one instance of its memory holds at the same time: one for each virtual thread around,
  /// but where these share what is alike.
  int64_t count = 1;
  /// By dimension, the first element that one of them holds, of the counters of the loops around,
  /// and how many it holds from there on: what one run of the allocation uses, together with the
  /// threads that share it. Where it uses none of what lies between, that takes no room.
  std::vector<ir::Expr> base, shape;
  std::vector<std::optional<Packing>> packed;  ///< by dimension, where there are such gaps
  bool smaller = false;                        ///< than the whole tensor

  /// Of one instance, what the tensor's alignment takes included, without what its memory's takes;
  /// none: its size is not known.
  std::optional<int64_t> bytes(ir::BufferNode const& tensor) const;
  /// Where an element of the whole tensor is in one instance.
  std::vector<ir::Expr> indices_of(std::vector<ir::Expr> const& whole, Ranges const& ranges) const;
};

/// `around`: the loops around the allocation, the outermost first; outside of all it is the whole
/// tensor. Programs and lowered code are told alike: iterators of blocks are what they are bound
/// to. `sizes`: the values that open extents may take; the tensor then holds what any of them uses.
Instances instances_of(ir::Alloc const& alloc, std::vector<ir::For const*> const& around,
                       ir::Sharing const& sharing, Ranges const& sizes = {});

/// With tensors that were left outside of bound loops inside of them, where each iteration has them
/// for itself and all that uses them stands in the loop: iterations that nothing orders use no
/// element that another one writes, so that none needs another one's instance. Nothing is moved
/// into a loop whose iterations may go on with what one before them has left.
ir::Stmt with_tensors_inside(ir::Stmt const& body, ir::Sharing const& sharing);

}  // namespace tw::arith
