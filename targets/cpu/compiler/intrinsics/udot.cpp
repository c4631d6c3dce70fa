// AArch64 FEAT_DotProd: four sums of four products of unsigned bytes.
#include "targets/cpu/compiler/arm_dot.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"

namespace tw::intrinsic_udot {
namespace {

/// The four bytes of `a` are those of all sums: the form by element.
llvm::Value* code(llvm::IRBuilderBase& builder, std::vector<llvm::Value*> const& operands) {
  return arm_dot(builder, llvm::Intrinsic::aarch64_neon_udot, operands[0], operands[2],
                 bytes_of_all_sums(builder, operands[1]));
}

}  // namespace

CpuIntrinsic const& row() {
  static CpuIntrinsic const intrinsic{
      .declaration =
          "intrinsic udot(update c: i32[4], read a: u8[4], read b: u8[4, 4])\n"
          "  for l in 4\n"
          "    for k in 4\n"
          "      c[l] = c[l]+i32(a[k])*i32(b[l, k])\n",
      .dense = {1, 1, 2},
      .architecture = "aarch64",
      .features = {{"dotprod"}},
      .code = code,
      .operations = 32,
      .products = "u8*u8"};
  return intrinsic;
}

}  // namespace tw::intrinsic_udot
