/// A made-up machine with instructions for parts of nests: what is made for it is interpreted.
#pragma once

#include "engine/ir/intrinsic.h"
#include "engine/ir/text.h"
#include "engine/target/target.h"

namespace tw::testing {

/// A product of matrices, and of any length the sums, products and copies that kernels are made of.
inline constexpr char kMatrixInstructions[] =
    "tilewright program 1\n"
    "intrinsic mma(update c: f32[4, 4], read a: f32[4, 4], read b: f32[4, 4])\n"
    "  for i in 4\n"
    "    for j in 4\n"
    "      for k in 4\n"
    "        c[i, j] = c[i, j]+a[i, k]*b[k, j]\n"
    "intrinsic dot(scalar n: i64, update c: f32[1], read a: f32[n], read b: f32[n])\n"
    "  for k in n\n"
    "    c[0] = c[0]+a[k]*b[k]\n"
    "intrinsic axpy(scalar n: i64, update y: f32[n], read x: f32[n], read s: f32[1])\n"
    "  for i in n\n"
    "    y[i] = y[i]+x[i]*s[0]\n"
    "intrinsic total(scalar n: i64, update c: f32[1], read a: f32[n])\n"
    "  for k in n\n"
    "    c[0] = c[0]+a[k]\n"
    "intrinsic most(scalar n: i64, update c: f32[1], read a: f32[n])\n"
    "  for k in n\n"
    "    c[0] = max(c[0], a[k])\n"
    "intrinsic add(scalar n: i64, write y: f32[n], read x: f32[n], read z: f32[n])\n"
    "  for i in n\n"
    "    y[i] = x[i]+z[i]\n"
    "intrinsic multiply(scalar n: i64, write y: f32[n], read x: f32[n], read z: f32[n])\n"
    "  for i in n\n"
    "    y[i] = x[i]*z[i]\n"
    "intrinsic scale(scalar n: i64, scalar s: f32, write y: f32[n], read x: f32[n])\n"
    "  for i in n\n"
    "    y[i] = x[i]*s\n"
    "intrinsic fill(scalar n: i64, scalar s: f32, write y: f32[n])\n"
    "  for i in n\n"
    "    y[i] = s\n"
    "intrinsic copy(scalar n: i64, write to: f32[n], read from: f32[n])\n"
    "  for i in n\n"
    "    to[i] = from[i]\n"
    "program each(X: f32[4, 4]) -> (Y: f32[4, 4])\n"
    "  block a()\n"
    "    call mma(Y[i, j] over (i in 4, j in 4), X[i, j] over (i in 4, j in 4), "
    "X[i, j] over (i in 4, j in 4))\n"
    "  block b()\n"
    "    call dot(4, Y[0, i] over (i in 1), X[0, k] over (k in 4), X[1, k] over (k in 4))\n"
    "  block c()\n"
    "    call axpy(4, Y[0, i] over (i in 4), X[0, i] over (i in 4), X[1, i] over (i in 1))\n"
    "  block d()\n"
    "    call total(4, Y[0, i] over (i in 1), X[0, k] over (k in 4))\n"
    "  block most()\n"
    "    call most(4, Y[0, i] over (i in 1), X[0, k] over (k in 4))\n"
    "  block add()\n"
    "    call add(4, Y[0, i] over (i in 4), X[0, i] over (i in 4), X[1, i] over (i in 4))\n"
    "  block multiply()\n"
    "    call multiply(4, Y[0, i] over (i in 4), X[0, i] over (i in 4), X[1, i] over (i in 4))\n"
    "  block e()\n"
    "    call scale(4, 0.5, Y[0, i] over (i in 4), X[0, i] over (i in 4))\n"
    "  block f()\n"
    "    call fill(4, 0.5, Y[0, i] over (i in 4))\n"
    "  block g()\n"
    "    call copy(4, Y[0, i] over (i in 4), X[0, i] over (i in 4))\n";

/// Of `mma` the rows of the second operand must be whole, and a copy is made of rows.
inline std::shared_ptr<Target const> matrix_machine() {
  static auto const target = [] {
    auto made = std::make_shared<Target>(*any_target());
    made->name = "matrices";
    for (ir::Intrinsic const& one :
         ir::intrinsics_of(ir::parse_program(kMatrixInstructions).value().body))
      made->intrinsics.push_back(
          {one, one->name == "mma" ? std::vector{0, 0, 1} : std::vector<int>()});
    return std::shared_ptr<Target const>(std::move(made));
  }();
  return target;
}

}  // namespace tw::testing
