// AVX-512 VNNI: sixteen sums of four products of unsigned with signed bytes.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "targets/cpu/compiler/cpu_intrinsic.h"

namespace tw::intrinsic_vpdpbusd {
namespace {

/// The four unsigned bytes are those of all sums.
llvm::Value* code(llvm::IRBuilderBase& builder, std::vector<llvm::Value*> const& operands) {
  llvm::Type* words = llvm::FixedVectorType::get(builder.getInt32Ty(), 16);
  llvm::Value* shared = builder.CreateBitCast(operands[1], builder.getInt32Ty());
  return builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpdpbusd_512, {},
                                 {operands[0], builder.CreateVectorSplat(16, shared),
                                  builder.CreateBitCast(operands[2], words)});
}

}  // namespace

CpuIntrinsic const& row() {
  static CpuIntrinsic const intrinsic{
      .declaration =
          "intrinsic vpdpbusd(update c: i32[16], read a: u8[4], read b: i8[16, 4])\n"
          "  for l in 16\n"
          "    for k in 4\n"
          "      c[l] = c[l]+i32(a[k])*i32(b[l, k])\n",
      .dense = {1, 1, 2},
      .architecture = "x86_64",
      .features = {{"avx512vnni"}},
      .code = code,
      .operations = 128,
      .products = "u8*i8"};
  return intrinsic;
}

}  // namespace tw::intrinsic_vpdpbusd
