#include "tests/benchmarks/instructions/workloads.h"

#include <fmt/format.h>

namespace tw::bench {
namespace {

/// An instruction that makes `lanes` sums of four products of bytes.
struct Dots {
  std::string intrinsic, data, weights;  ///< types of bytes: "u8", "i8"
  int lanes = 0;
};

std::string product_text(Dots const& dots, int rows, int columns, int depth) {
  return fmt::format(
      "tilewright te 1\n"
      "kernel product(A: {5}[{0}, {2}], B: {6}[{3}, {4}, {7}, 4]) -> C\n"
      "  C[i in {0}, j in {1}] = sum[k in {2}] i32(A[i, k]) * i32(B[j//{7}, k//4, j%{7}, k%4])\n",
      rows, columns, depth, columns / dots.lanes, depth / 4, dots.data, dots.weights, dots.lanes);
}

/// A product of 4 rows and four vectors of columns stays in registers.
std::string product_script(Dots const& dots) {
  return fmt::format(
      "tilewright schedule 1\n"
      "i.0, i.1 = split(C.i, factor=4)\n"
      "j.0, j.1 = split(C.j, factor={0})\n"
      "p.0, p.1 = split(C.j.0, factor=4)\n"
      "k.0, k.1 = split(C.k, factor=4)\n"
      "reorder(C.p.0, C.i.0, C.k.0, C.i.1, C.p.1, C.j.1, C.k.1)\n"
      "decompose_reduction(C.k.0)\n"
      "vectorize(C_init.j.1)\n"
      "tensorize(C.j.1, intrinsic={1})\n"
      "unroll(C.p.1)\n"
      "unroll(C.i.1)\n",
      dots.lanes, dots.intrinsic);
}

/// Two by two tiles of sums stay in registers; what they read lies tile by tile.
std::string tile_script(std::string const& intrinsic) {
  return fmt::format(
      "tilewright schedule 1\n"
      "pack(C, tensor=A, layout=AB16a64b)\n"
      "cache_write(C, layout=AB16a16b)\n"
      "i.0, i.1 = split(C.i, factor=16)\n"
      "p.0, p.1 = split(C.i.0, factor=2)\n"
      "j.0, j.1 = split(C.j, factor=16)\n"
      "n.0, n.1 = split(C.j.0, factor=2)\n"
      "k.0, k.1 = split(C.k, factor=64)\n"
      "q.0, q.1 = split(C.k.1, factor=4)\n"
      "reorder(C.n.0, C.p.0, C.k.0, C.p.1, C.n.1, C.i.1, C.j.1, C.q.0, C.q.1)\n"
      "decompose_reduction(C.k.0)\n"
      "reverse_compute_at(C_write, C.p.0)\n"
      "vectorize(C_init.j.1)\n"
      "tensorize(C.i.1, intrinsic={})\n"
      "unroll(C.n.1)\n"
      "unroll(C.p.1)\n",
      intrinsic);
}

std::string convolution_text(Dots const& dots, int size, int inputs, int outputs) {
  return fmt::format(
      "tilewright te 1\n"
      "kernel conv(X: {7}[{0}, {0}, {1}], W: {8}[{3}, 3, 3, {4}, {9}, 4]) -> Y\n"
      "  P[y in {2}, x in {2}, c in {1}] = select(1 <= y && y < {5} && 1 <= x && x < {5}, "
      "X[y-1, x-1, c], 0:{7})\n"
      "  Y[y in {0}, x in {0}, o in {6}] = sum[r in 3, s in 3, c in {1}] i32(P[y+r, x+s, c]) * "
      "i32(W[o//{9}, r, s, c//4, o%{9}, c%4])\n",
      size, inputs, size + 2, outputs / dots.lanes, inputs / 4, size + 1, outputs, dots.data,
      dots.weights, dots.lanes);
}

/// Four points of a row and four vectors of channels stay in registers.
std::string convolution_script(Dots const& dots) {
  return fmt::format(
      "tilewright schedule 1\n"
      "c.0, c.1 = split(P.c, factor=16)\n"
      "vectorize(P.c.1)\n"
      "x.0, x.1 = split(Y.x, factor=4)\n"
      "o.0, o.1 = split(Y.o, factor={0})\n"
      "p.0, p.1 = split(Y.o.0, factor=4)\n"
      "k.0, k.1 = split(Y.c, factor=4)\n"
      "reorder(Y.p.0, Y.y, Y.x.0, Y.r, Y.s, Y.k.0, Y.x.1, Y.p.1, Y.o.1, Y.k.1)\n"
      "decompose_reduction(Y.r)\n"
      "vectorize(Y_init.o.1)\n"
      "tensorize(Y.o.1, intrinsic={1})\n"
      "unroll(Y.p.1)\n"
      "unroll(Y.x.1)\n",
      dots.lanes, dots.intrinsic);
}

InstructionWorkload product(Dots const& dots) {
  return {"I512",
          fmt::format("product of {} and {} matrices of 512", dots.data, dots.weights),
          dots.intrinsic,
          product_text(dots, 512, 512, 512),
          product_text(dots, 8, 8 * dots.lanes, 24),
          product_script(dots),
          2.0 * 512 * 512 * 512};
}

InstructionWorkload product_of_tiles(Dots const& dots) {
  return {"I512",
          fmt::format("product of {} and {} matrices of 512", dots.data, dots.weights),
          dots.intrinsic,
          product_text(dots, 512, 512, 512),
          product_text(dots, 64, 64, 128),
          tile_script(dots.intrinsic),
          2.0 * 512 * 512 * 512};
}

InstructionWorkload convolution(Dots const& dots) {
  return {
      "C6",
      fmt::format("convolution C6 of ResNet-18, {} and {}, with padding", dots.data, dots.weights),
      dots.intrinsic,
      convolution_text(dots, 28, 128, 128),
      convolution_text(dots, 8, 16, 4 * dots.lanes),
      convolution_script(dots),
      2.0 * 28 * 28 * 128 * 128 * 9};
}

}  // namespace

std::vector<InstructionWorkload> instruction_workloads() {
  std::vector<InstructionWorkload> all;
  for (Dots const& dots : {Dots{"vpdpbusd", "u8", "i8", 16}, Dots{"sdot", "i8", "i8", 4},
                           Dots{"udot", "u8", "u8", 4}, Dots{"usdot", "u8", "i8", 4}}) {
    all.push_back(product(dots));
    all.push_back(convolution(dots));
  }
  for (Dots const& dots : {Dots{"tdpbusd", "u8", "i8", 16}, Dots{"tdpbssd", "i8", "i8", 16}})
    all.push_back(product_of_tiles(dots));
  return all;
}

}  // namespace tw::bench
