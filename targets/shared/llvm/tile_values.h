/// Tiles of x86-64's AMX in LLVM modules. Code passes them on as vectors of all their bytes; LLVM
/// takes what stands between the two casts here to a tile's register.
#pragma once

namespace llvm {
class IRBuilderBase;
class Module;
class Type;
class Value;
}  // namespace llvm

namespace tw {

/// Of every tile: no other shape is used, so that a function configures its registers once.
constexpr int kTileRows = 16;
constexpr int kTileRowBytes = 64;

/// `vector`: kTileRows * kTileRowBytes bytes, one row after the other.
llvm::Value* to_tile(llvm::IRBuilderBase& builder, llvm::Value* vector);
llvm::Value* from_tile(llvm::IRBuilderBase& builder, llvm::Value* tile, llvm::Type* vector);

/// The value as it comes out of a tile's register: zeros, an element of memory that is loaded, or
/// what is stored first. (Two casts one after the other LLVM would take away.)
llvm::Value* through_tile(llvm::IRBuilderBase& builder, llvm::Value* vector);

/// Takes the place of all casts in functions that use tiles.
/// phi [load x, before], [from_tile(y), loop]  -->  phi [tile at x, before], [y, loop]
/// LLVM keeps a tile in its register through a loop only where all that meets at the loop's head
/// comes from tiles and goes to tiles. And it must find no cast: LLVM 19 goes through those that
/// are left while it adds to their list (X86LowerAMXType, combineAMXcast), so that with many of
/// them it reads memory that is no longer the list's. After the passes: they know no such phis.
void lower_tile_casts(llvm::Module& module);

}  // namespace tw
