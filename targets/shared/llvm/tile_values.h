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

/// Makes functions that use tiles ready for code generation.
/// phi [load x, before], [from_tile(y), loop]  -->  phi [from_tile(tile at x), before], ...
/// LLVM keeps a tile in its register through a loop only where all that meets at the loop's head
/// comes from tiles and goes to tiles. After the passes: they would take the casts away.
void prepare_tiles(llvm::Module& module);

}  // namespace tw
