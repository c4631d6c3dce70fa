/// Intel AMX: products of tiles of 16 rows of 64 bytes, in registers of their own.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <string>

#include "targets/cpu/compiler/cpu_intrinsic.h"
#include "targets/shared/llvm/tile_values.h"

namespace tw {

/// LLVM's name of what every instruction for tiles needs.
inline constexpr char kTileFeature[] = "amx-tile";

/// What computes with them, as in ComputeRoof.
inline constexpr char kTileUnit[] = "matrix";

/// Sums of 32 bits, 16 rows of 16: operand 0. Operand 1 are 16 rows of 64 bytes, operand 2 64 bytes
/// each for 16 of the second's rows: of every column the bytes that meet those of the first.
template <llvm::Intrinsic::ID kInstruction>
llvm::Value* product_of_tiles(llvm::IRBuilderBase& builder,
                              std::vector<llvm::Value*> const& operands) {
  llvm::Value* rows = builder.getInt16(kTileRows);
  llvm::Value* bytes = builder.getInt16(kTileRowBytes);
  llvm::Value* sums =
      builder.CreateIntrinsic(kInstruction, {},
                              {rows, bytes, bytes, to_tile(builder, operands[0]),
                               to_tile(builder, operands[1]), to_tile(builder, operands[2])});
  return from_tile(builder, sums, operands[0]->getType());
}

/// As `InstructionCode` of bytes: `first` and `second` are their types, "u8" or "i8".
inline CpuIntrinsic tiles_of_bytes(std::string const& name, std::string const& first,
                                   std::string const& second, InstructionCode code) {
  return {.declaration = "intrinsic " + name + "(update c: i32[16, 16], read a: " + first +
                         "[16, 16, 4], read b: " + second +
                         "[16, 16, 4])\n"
                         "  for m in 16\n"
                         "    for l in 16\n"
                         "      for k in 16\n"
                         "        for q in 4\n"
                         "          c[m, l] = c[m, l]+i32(a[m, k, q])*i32(b[k, l, q])\n",
          .dense = {2, 3, 3},
          .architecture = "x86_64",
          .features = {{kTileFeature, "amx-int8"}},
          .code = code,
          .operations = 2.0 * 16 * 16 * 64,
          .products = first + "*" + second,
          .unit = kTileUnit};
}

}  // namespace tw
