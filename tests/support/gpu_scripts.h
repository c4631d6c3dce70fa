/// Kernels and schedules for blocks and threads, at any size.
#pragma once

#include <fmt/format.h>

#include <string>

namespace tw::testing {

inline std::string product_text(int64_t n) {
  return fmt::format(
      "tilewright te 1\nkernel product(A: f32[{0}, {0}], B: f32[{0}, {0}]) -> C\n"
      "  C[i in {0}, j in {0}] = sum[k in {0}] A[i, k] * B[k, j]\n",
      n);
}

inline std::string transpose_text(int64_t n) {
  return fmt::format(
      "tilewright te 1\nkernel transpose(X: f32[{0}, {0}]) -> Y\n  Y[i in {0}, j in {0}] = X[j, "
      "i]\n",
      n);
}

inline std::string sum_text(int64_t n) {
  return fmt::format(
      "tilewright te 1\nkernel add(X: f32[{0}], Z: f32[{0}]) -> Y\n  Y[i in {0}] = X[i] + Z[i]\n",
      n);
}

/// One thread for each element, in blocks of 16 x 16. "ty, tx": neighbouring threads make
/// neighbouring columns; "tx, ty": rows.
inline std::string plain_product_script(std::string const& threads) {
  return "cache_write(C, scope=local)\nreverse_compute_at(C_write, C.j)\n"
         "iy, ix, " +
         threads +
         " = tile(C.i, C.j, outer_factor=16, inner_factor=16)\n"
         "bind(iy, axis=blockIdx.y)\nbind(ix, axis=blockIdx.x)\n"
         "bind(ty, axis=threadIdx.y)\nbind(tx, axis=threadIdx.x)\n";
}

struct Tiles {
  int64_t block = 64, own = 4, terms = 8;
  bool padded = false;  ///< rows of A's tile have one element more
};

/// Tiles of both factors in shared memory, `own` x `own` sums of a thread in registers.
inline std::string tiled_product_script(Tiles const& tiles) {
  std::string script = fmt::format(
      "cache_write(C, scope=local)\n"
      "by, bx, i1, j1 = tile(C.i, C.j, outer_factor={0}, inner_factor={0})\n"
      "ty, tx, i2, j2 = tile(C.i1, C.j1, outer_factor={1}, inner_factor={1})\n"
      "k0, k1 = split(C.k, factor={2})\n"
      "reorder(C.k0, C.k1, C.i2, C.j2)\n"
      "reverse_compute_at(C_write, C.tx)\n"
      "bind(C.by, axis=blockIdx.y)\nbind(C.bx, axis=blockIdx.x)\n"
      "bind(C.ty, axis=threadIdx.y)\nbind(C.tx, axis=threadIdx.x)\n"
      "cache_read(C, tensor=A, scope=shared)\ncache_read(C, tensor=B, scope=shared)\n"
      "compute_at(A_cache, C.k0)\ncompute_at(B_cache, C.k0)\n"
      "p = fuse(A_cache.d0, A_cache.d1)\n"
      "pr, px = split(A_cache.p, factor={3})\npn, py = split(A_cache.pr, factor={3})\n"
      "bind(A_cache.py, axis=threadIdx.y)\nbind(A_cache.px, axis=threadIdx.x)\n"
      "q = fuse(B_cache.d0_2, B_cache.d1_2)\n"
      "qr, qx = split(B_cache.q, factor={3})\nqn, qy = split(B_cache.qr, factor={3})\n"
      "bind(B_cache.qy, axis=threadIdx.y)\nbind(B_cache.qx, axis=threadIdx.x)\n",
      tiles.block, tiles.own, tiles.terms, tiles.block / tiles.own);
  if (tiles.padded)
    script += fmt::format("storage_align(A_cache, dim=0, factor={}, offset=1)\n", tiles.terms);
  return script;
}

/// Through shared memory; `padded`: its rows have one element more.
inline std::string tiled_transpose_script(int64_t tile, bool padded) {
  std::string script = fmt::format(
      "by, bx, ty, tx = tile(Y.i, Y.j, outer_factor={0}, inner_factor={0})\n"
      "cache_read(Y, tensor=X, scope=shared)\ncompute_at(X_cache, Y.bx)\n"
      "bind(Y.by, axis=blockIdx.y)\nbind(Y.bx, axis=blockIdx.x)\n"
      "bind(Y.ty, axis=threadIdx.y)\nbind(Y.tx, axis=threadIdx.x)\n"
      "bind(X_cache.d0, axis=threadIdx.y)\nbind(X_cache.d1, axis=threadIdx.x)\n",
      tile);
  if (padded) script += fmt::format("storage_align(X_cache, dim=0, factor={}, offset=1)\n", tile);
  return script;
}

}  // namespace tw::testing
