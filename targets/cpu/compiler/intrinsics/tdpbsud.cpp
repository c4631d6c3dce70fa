// AMX: 256 sums of 64 products of signed by unsigned bytes.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "targets/cpu/compiler/tiles.h"

namespace tw::intrinsic_tdpbsud {

CpuIntrinsic const& row() {
  static CpuIntrinsic const intrinsic = tiles_of_bytes(
      "tdpbsud", "i8", "u8", product_of_tiles<llvm::Intrinsic::x86_tdpbsud_internal>);
  return intrinsic;
}

}  // namespace tw::intrinsic_tdpbsud
