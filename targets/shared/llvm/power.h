/// Logarithms, products and powers with twice the digits of a double, for pow and erf of f64, and
/// what is the same of every power.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace tw {

/// A sum of two doubles, the second one below half a unit of the first one's last place.
struct Precise {
  llvm::Value* high;
  llvm::Value* low;
};

/// Neither zero nor infinite nor NaN.
llvm::Value* is_ordinary(llvm::IRBuilder<>& builder, llvm::Value* x);
/// Of what is ordinary and above zero: about 2^-68 off, relatively.
Precise precise_log(llvm::IRBuilder<>& builder, llvm::Value* x);
/// Where y is so large that the result is beyond every exponent, another such result.
Precise precise_product(llvm::IRBuilder<>& builder, Precise const& x, llvm::Value* y);
/// x^2 minus `square`, its rounded value, exactly.
llvm::Value* rounded_off_square(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* square);
/// x^y rounded once for integral y of -64..64 by repeated squares; else, and where that leaves the
/// range of doubles, `otherwise`.
llvm::Value* small_integer_power(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y,
                                 llvm::Value* otherwise);

/// What x^y is where |x|^y is `result`, of f32 and f64: its sign, and where it is no number or 1
/// whatever the other one is.
llvm::Value* power_with_sign(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y,
                             llvm::Value* result);

}  // namespace tw
