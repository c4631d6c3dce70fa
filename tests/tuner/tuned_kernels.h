/// Kernels and their spaces, as tests of the tuner take them.
#pragma once

#include "engine/te/te.h"
#include "engine/tuner/space.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"

namespace tw::testing {

inline constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[96, 64], B: f32[64, 80]) -> C\n"
    "  C[i in 96, j in 80] = sum[k in 64] A[i, k] * B[k, j]\n";
inline constexpr char kWindow[] =
    "tilewright te 1\n"
    "kernel window(X: f32[16, 30, 30], W: f32[64, 16, 3, 3]) -> Y\n"
    "  Y[o in 64, y in 28, x in 28] = "
    "sum[c in 16, r in 3, s in 3] X[c, y + r, x + s] * W[o, c, r, s]\n";
inline constexpr char kMap[] =
    "tilewright te 1\n"
    "kernel map(X: f32[200, 300]) -> Y\n"
    "  Y[i in 200, j in 300] = max(X[i, j], 0.0)\n";

inline std::shared_ptr<Backend const> this_cpu() {
  static std::shared_ptr<Backend const> const backend = create_cpu_backend(detect_host()).value();
  return backend;
}
inline te::Kernel kernel_of(char const* text) { return te::parse_kernel(text).value(); }
inline Space space_of(char const* text, Point pinned = {}) {
  return Space(te::to_program(kernel_of(text)).value(), this_cpu(), std::move(pinned));
}

}  // namespace tw::testing
