/// Elementary functions of f32 in f32 arithmetic, for devices whose f64 is slow: at most 2 units in
/// the last place over all floats, of powers at most 3 (tests/cuda/single_math_test.cpp). Scalars
/// only.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>

#include "engine/ir/op.h"

namespace tw {

/// 1 / x of what is at least 1, to a unit in the last place; what would be denormal may be 0.
using Reciprocal = std::function<llvm::Value*(llvm::IRBuilder<>&, llvm::Value*)>;

llvm::Value* emit_single_exp(llvm::IRBuilder<>& builder, llvm::Value* x);
llvm::Value* emit_single_log(llvm::IRBuilder<>& builder, llvm::Value* x);
llvm::Value* emit_single_tanh(llvm::IRBuilder<>& builder, llvm::Value* x,
                              Reciprocal const& reciprocal);
llvm::Value* emit_single_erf(llvm::IRBuilder<>& builder, llvm::Value* x);
/// exp(y * log(x)) with twice the digits until the exponent is known.
llvm::Value* emit_single_pow(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y,
                             Reciprocal const& reciprocal);
/// Of angles of any size; of large ones the remainder is computed in f64. Ends the block that is
/// being built.
llvm::Value* emit_single_sin_cos(llvm::IRBuilder<>& builder, llvm::Value* x, bool cosine);

/// The function of that operator; null: it is none of these.
llvm::Value* emit_single(llvm::IRBuilder<>& builder, ir::UnaryOp op, llvm::Value* x,
                         Reciprocal const& reciprocal);

}  // namespace tw
