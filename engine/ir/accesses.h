/// What a block reads and writes, as functions of the loops around it.
#pragma once

#include "engine/ir/program.h"
#include "engine/ir/stmt.h"

namespace tw::ir {

enum class AccessKind : uint8_t {
  kRead,
  kWrite,
  kHint,  ///< the element that a prefetch names: fetched, not read
};

/// Where in a block an access stands.
enum class BlockPart : uint8_t { kHeader /* bindings and guard */, kBody, kInit };

struct BlockAccess {
  Buffer buffer;
  std::vector<Expr> indices;  ///< of loop variables: the iterators are replaced by their bindings
  AccessKind kind = AccessKind::kRead;
  BlockPart part = BlockPart::kBody;
  /// It happens where all of these hold: the sides of selects that lead to it, over loops. What
  /// depends on data is left out.
  std::vector<Expr> conditions;
  /// Of a call's operand: `indices` reach as many elements as these run over. Every access has axes
  /// of its own names.
  std::vector<OperandAxis> axes = {};
};

/// Every access of a block, header, body and init in this order. In a part writes come first, then
/// reads in the order of the text; a read comes before those in its indices.
std::vector<BlockAccess> accesses_of(Block const& block);

/// What holds where the condition does not: on the other side of a choice. A comparison stays one.
Expr opposite(Expr const& condition);

}  // namespace tw::ir
