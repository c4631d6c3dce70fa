// AMX: 256 sums of 64 products of unsigned by signed bytes.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "targets/cpu/compiler/tiles.h"

namespace tw::intrinsic_tdpbusd {

CpuIntrinsic const& row() {
  static CpuIntrinsic const intrinsic = tiles_of_bytes(
      "tdpbusd", "u8", "i8", product_of_tiles<llvm::Intrinsic::x86_tdpbusd_internal>);
  return intrinsic;
}

}  // namespace tw::intrinsic_tdpbusd
