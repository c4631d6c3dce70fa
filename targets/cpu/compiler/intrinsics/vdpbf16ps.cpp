// AVX-512 BF16: sixteen sums of two products of bf16 numbers. The instruction rounds to nearest
// after each product and sum, takes subnormal numbers for 0, and gives 0 for results that are.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "targets/cpu/compiler/cpu_intrinsic.h"

namespace tw::intrinsic_vdpbf16ps {
namespace {

/// The upper halves of f32 numbers whose lower halves are 0.
llvm::Value* halves(llvm::IRBuilderBase& builder, llvm::Value* lanes, unsigned count) {
  llvm::Type* words = llvm::FixedVectorType::get(builder.getInt32Ty(), count);
  llvm::Value* bits = builder.CreateLShr(builder.CreateBitCast(lanes, words), 16);
  return builder.CreateTrunc(bits, llvm::FixedVectorType::get(builder.getInt16Ty(), count));
}

llvm::Value* code(llvm::IRBuilderBase& builder, std::vector<llvm::Value*> const& operands) {
  llvm::Type* pairs = llvm::FixedVectorType::get(builder.getBFloatTy(), 32);
  llvm::Value* shared =
      builder.CreateBitCast(halves(builder, operands[1], 2), builder.getInt32Ty());
  return builder.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, {},
      {operands[0], builder.CreateBitCast(builder.CreateVectorSplat(16, shared), pairs),
       builder.CreateBitCast(halves(builder, operands[2], 32), pairs)});
}

}  // namespace

CpuIntrinsic const& row() {
  static CpuIntrinsic const intrinsic{
      .declaration =
          "intrinsic vdpbf16ps(update c: f32[16], read a: bf16[2], read b: bf16[16, 2])\n"
          "  for l in 16\n"
          "    for k in 2\n"
          "      c[l] = c[l]+f32(a[k])*f32(b[l, k])\n",
      .dense = {1, 1, 2},
      .architecture = "x86_64",
      .features = {{"avx512bf16"}},
      .code = code,
      .operations = 64,
      .products = "bf16*bf16"};
  return intrinsic;
}

}  // namespace tw::intrinsic_vdpbf16ps
