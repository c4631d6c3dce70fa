#include "tests/benchmarks/instructions/workloads.h"

#include <fmt/format.h>

namespace tw::bench {
namespace {

std::string product_text(int rows, int columns, int depth) {
  return fmt::format(
      "tilewright te 1\n"
      "kernel product(A: u8[{0}, {2}], B: i8[{3}, {4}, 16, 4]) -> C\n"
      "  C[i in {0}, j in {1}] = sum[k in {2}] i32(A[i, k]) * i32(B[j//16, k//4, j%16, k%4])\n",
      rows, columns, depth, columns / 16, depth / 4);
}

/// A product of 4 rows and 64 columns stays in registers.
constexpr char kProductScript[] =
    "tilewright schedule 1\n"
    "i.0, i.1 = split(C.i, factor=4)\n"
    "j.0, j.1 = split(C.j, factor=16)\n"
    "p.0, p.1 = split(C.j.0, factor=4)\n"
    "k.0, k.1 = split(C.k, factor=4)\n"
    "reorder(C.p.0, C.i.0, C.k.0, C.i.1, C.p.1, C.j.1, C.k.1)\n"
    "decompose_reduction(C.k.0)\n"
    "vectorize(C_init.j.1)\n"
    "tensorize(C.j.1, intrinsic=vpdpbusd)\n"
    "unroll(C.p.1)\n"
    "unroll(C.i.1)\n";

std::string convolution_text(int size, int inputs, int outputs) {
  return fmt::format(
      "tilewright te 1\n"
      "kernel conv(X: u8[{0}, {0}, {1}], W: i8[{3}, 3, 3, {4}, 16, 4]) -> Y\n"
      "  P[y in {2}, x in {2}, c in {1}] = select(1 <= y && y < {5} && 1 <= x && x < {5}, "
      "X[y-1, x-1, c], 0:u8)\n"
      "  Y[y in {0}, x in {0}, o in {6}] = sum[r in 3, s in 3, c in {1}] i32(P[y+r, x+s, c]) * "
      "i32(W[o//16, r, s, c//4, o%16, c%4])\n",
      size, inputs, size + 2, outputs / 16, inputs / 4, size + 1, outputs);
}

/// Four points of a row and 64 channels stay in registers.
constexpr char kConvolutionScript[] =
    "tilewright schedule 1\n"
    "c.0, c.1 = split(P.c, factor=16)\n"
    "vectorize(P.c.1)\n"
    "x.0, x.1 = split(Y.x, factor=4)\n"
    "o.0, o.1 = split(Y.o, factor=16)\n"
    "p.0, p.1 = split(Y.o.0, factor=4)\n"
    "k.0, k.1 = split(Y.c, factor=4)\n"
    "reorder(Y.p.0, Y.y, Y.x.0, Y.r, Y.s, Y.k.0, Y.x.1, Y.p.1, Y.o.1, Y.k.1)\n"
    "decompose_reduction(Y.r)\n"
    "vectorize(Y_init.o.1)\n"
    "tensorize(Y.o.1, intrinsic=vpdpbusd)\n"
    "unroll(Y.p.1)\n"
    "unroll(Y.x.1)\n";

}  // namespace

std::vector<InstructionWorkload> instruction_workloads() {
  return {{"I512", "product of u8 and i8 matrices of 512", "vpdpbusd", product_text(512, 512, 512),
           product_text(8, 128, 24), kProductScript, 2.0 * 512 * 512 * 512},
          {"C6", "convolution C6 of ResNet-18, u8 and i8, with padding", "vpdpbusd",
           convolution_text(28, 128, 128), convolution_text(8, 16, 64), kConvolutionScript,
           2.0 * 28 * 28 * 128 * 128 * 9}};
}

}  // namespace tw::bench
