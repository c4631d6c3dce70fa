/// The remainder of an angle by a quarter turn, for angles of any size.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace tw {

/// x = (4k + quadrant) * pi/2 + rest for some k, |rest| at most pi/4: doubles and 64-bit integers,
/// or vectors of them. Of what is infinite or no number the rest is NaN.
struct QuarterTurns {
  llvm::Value* rest;
  llvm::Value* quadrant;
};
/// May end the block that is being built: what follows stands in another one.
QuarterTurns quarter_turns(llvm::IRBuilder<>& builder, llvm::Value* x);

}  // namespace tw
