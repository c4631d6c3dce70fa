/// Elementary functions as instructions: no library is called. For f32 (and vectors of it) the
/// error is at most 4 units in the last place unless said otherwise; f64 goes through the same
/// formulas in double with more terms.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace tw {

llvm::Value* emit_exp(llvm::IRBuilder<>& builder, llvm::Value* x);
llvm::Value* emit_log(llvm::IRBuilder<>& builder, llvm::Value* x);
llvm::Value* emit_tanh(llvm::IRBuilder<>& builder, llvm::Value* x);
llvm::Value* emit_erf(llvm::IRBuilder<>& builder, llvm::Value* x);
/// exp(y * log(x)) in double for f32, with twice the digits for f64: correct to the last place or
/// two, exact where an integral y up to 64 gives a number of 53 bits. x < 0 gives NaN except for
/// integral y.
llvm::Value* emit_pow(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y);
/// Of angles of any size. May end the block that is being built.
llvm::Value* emit_sin_cos(llvm::IRBuilder<>& builder, llvm::Value* x, bool cosine);

}  // namespace tw
