/// The remainder of a division of floats, exact.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace tw {

/// a - n*b for the quotient a / b rounded towards zero to a whole n, as C's fmod: exact for every
/// quotient, with the sign of a. NaN for an infinite a and for b of 0; a itself for an infinite b.
/// Of scalars and vectors of f32 and f64.
llvm::Value* emit_fmod(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b);

}  // namespace tw
