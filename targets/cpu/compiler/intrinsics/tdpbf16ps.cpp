// AMX: 256 sums of 32 products of bf16 numbers. The unit takes subnormal numbers for 0, gives 0 for
// results that are, and adds up products of even and of odd numbers apart.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include "targets/cpu/compiler/tiles.h"

namespace tw::intrinsic_tdpbf16ps {
namespace {

/// The upper halves of f32 numbers whose lower halves are 0: of those that were widened when they
/// were loaded what they were before, so that a load stands next to its tile.
llvm::Value* halves(llvm::IRBuilderBase& builder, llvm::Value* lanes) {
  using namespace llvm::PatternMatch;
  llvm::Value* narrow = nullptr;
  if (match(lanes, m_BitCast(m_Shl(m_ZExt(m_Value(narrow)), m_SpecificInt(16))))) return narrow;
  unsigned count = llvm::cast<llvm::FixedVectorType>(lanes->getType())->getNumElements();
  llvm::Type* words = llvm::FixedVectorType::get(builder.getInt32Ty(), count);
  llvm::Value* bits = builder.CreateLShr(builder.CreateBitCast(lanes, words), 16);
  return builder.CreateTrunc(bits, llvm::FixedVectorType::get(builder.getInt16Ty(), count));
}

llvm::Value* code(llvm::IRBuilderBase& builder, std::vector<llvm::Value*> const& operands) {
  return product_of_tiles<llvm::Intrinsic::x86_tdpbf16ps_internal>(
      builder, {operands[0], halves(builder, operands[1]), halves(builder, operands[2])});
}

}  // namespace

CpuIntrinsic const& row() {
  static CpuIntrinsic const intrinsic{
      .declaration =
          "intrinsic tdpbf16ps(update c: f32[16, 16], read a: bf16[16, 16, 2], "
          "read b: bf16[16, 16, 2])\n"
          "  for m in 16\n"
          "    for l in 16\n"
          "      for k in 16\n"
          "        for q in 2\n"
          "          c[m, l] = c[m, l]+f32(a[m, k, q])*f32(b[k, l, q])\n",
      .dense = {2, 3, 3},
      .architecture = "x86_64",
      .features = {{kTileFeature, "amx-bf16"}},
      .code = code,
      .operations = 2.0 * 16 * 16 * 32,
      .products = "bf16*bf16",
      .unit = kTileUnit};
  return intrinsic;
}

}  // namespace tw::intrinsic_tdpbf16ps
