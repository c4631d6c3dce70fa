// AArch64 FEAT_I8MM: four sums of four products of unsigned with signed bytes.
#include "targets/cpu/compiler/arm_dot.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"

namespace tw::intrinsic_usdot {
namespace {

/// The four unsigned bytes are those of all sums.
llvm::Value* code(llvm::IRBuilderBase& builder, std::vector<llvm::Value*> const& operands) {
  return arm_dot(builder, llvm::Intrinsic::aarch64_neon_usdot, operands[0],
                 bytes_of_all_sums(builder, operands[1]), operands[2]);
}

}  // namespace

CpuIntrinsic const& row() {
  static CpuIntrinsic const intrinsic{
      .declaration =
          "intrinsic usdot(update c: i32[4], read a: u8[4], read b: i8[4, 4])\n"
          "  for l in 4\n"
          "    for k in 4\n"
          "      c[l] = c[l]+i32(a[k])*i32(b[l, k])\n",
      .dense = {1, 1, 2},
      .architecture = "aarch64",
      .features = {{"i8mm"}},
      .code = code,
      .operations = 32,
      .products = "u8*i8"};
  return intrinsic;
}

}  // namespace tw::intrinsic_usdot
