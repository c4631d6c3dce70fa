/// Arm's dot products of bytes: four sums of four products each.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsAArch64.h>

namespace tw {

/// Four bytes, which all sums share, as sixteen: the compiler makes the form by element of it.
inline llvm::Value* bytes_of_all_sums(llvm::IRBuilderBase& builder, llvm::Value* four) {
  llvm::Value* word = builder.CreateBitCast(four, builder.getInt32Ty());
  return builder.CreateBitCast(builder.CreateVectorSplat(4, word),
                               llvm::FixedVectorType::get(builder.getInt8Ty(), 16));
}

/// `sums`: 4 x i32; `a` and `b`: 16 x i8, signed or not as the instruction takes them.
inline llvm::Value* arm_dot(llvm::IRBuilderBase& builder, llvm::Intrinsic::ID instruction,
                            llvm::Value* sums, llvm::Value* a, llvm::Value* b) {
  return builder.CreateIntrinsic(instruction, {sums->getType(), a->getType()}, {sums, a, b});
}

}  // namespace tw
