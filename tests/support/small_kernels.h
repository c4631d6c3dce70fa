/// Small kernels by hand, of the usual kinds.
#pragma once

#include <string>
#include <vector>

namespace tw::testing {

/// Extents are small, many of them prime, so that remainders of every kind occur.
inline std::vector<std::string> const& small_kernels() {
  static std::vector<std::string> const texts{
      "kernel matmul(A: f32[5, 6], B: f32[6, 7]) -> C\n"
      "  C[i in 5, j in 7] = sum[k in 6] A[i, k] * B[k, j]\n",
      "kernel conv(X: f32[1, 3, 5, 5], W: f32[4, 3, 3, 3]) -> Y\n"
      "  pad[n in 1, c in 3, y in 7, x in 7] = select(1 <= y && y < 6 && 1 <= x && x < 6, X[n, c, "
      "y-1, x-1], 0)\n"
      "  Y[n in 1, o in 4, y in 5, x in 5] = sum[c in 3, r in 3, s in 3] pad[n, c, y+r, x+s] * "
      "W[o, c, r, s]\n",
      "kernel depthwise(X: f32[1, 4, 6, 6], W: f32[4, 2, 2]) -> Y\n"
      "  Y[n in 1, c in 4, y in 5, x in 5] = sum[r in 2, s in 2] X[n, c, y+r, x+s] * W[c, r, s]\n",
      "kernel framed_conv(X: f32[4, 6], W: f32[3, 3, 4]) -> Y\n"
      "  Y[y in 4, x in 6, o in 4] = sum[r in 3, s in 3] select(1 <= y+r && y+r < 5 && 1 <= x+s && "
      "x+s < 7, X[y+r-1, x+s-1], 0) * W[r, s, o]\n",
      "kernel pool(X: f32[1, 3, 6, 8]) -> Y\n"
      "  Y[n in 1, c in 3, y in 3, x in 4] = max[r in 2, s in 2] X[n, c, y*2+r, x*2+s]\n",
      "kernel softmax(X: f32[4, 11]) -> Y\n"
      "  m[b in 4] = max[k in 11] X[b, k]\n"
      "  e[b in 4, i in 11] = exp(X[b, i] - m[b])\n"
      "  t[b in 4] = sum[k in 11] e[b, k]\n"
      "  Y[b in 4, i in 11] = e[b, i] / t[b]\n",
      "kernel elementwise(X: f32[7, 13], B: f32[13]) -> Y\n"
      "  Y[i in 7, j in 13] = max(X[i, j] + B[j], 0)\n",
      "kernel chain(X: f32[5, 6], B: f32[6]) -> Y\n"
      "  A[i in 5, j in 6] = X[i, j] * 2.0\n"
      "  C[i in 5, j in 6] = A[i, j] + B[j]\n"
      "  Y[j in 6, i in 5] = max(C[i, j], 0)\n",
      "kernel scan(X: f32[6, 5]) -> H\n"
      "  H[scan t in 6, j in 5]: f32 = X[t, j] + select(1 <= t, H[t-1, j] * 0.5, 0)\n",
      "kernel gated(X: f32[5, 6], R: f32[6, 3], H0: f32[3]) -> (H, L)\n"
      "  p[scan t in 5, k in 3]: f32 = select(1 <= t, H[t-1, k], H0[k])\n"
      "  g[step t in 5, j in 6]: f32 = sum[k in 3] p[t, k] * R[j, k]\n"
      "  c[step t in 5, j in 3]: f32 = select(1 <= t, c[t-1, j], 0) * 0.5 + X[t, j] + g[t, j]\n"
      "  H[step t in 5, j in 3]: f32 = g[t, j+3] * c[t, j]\n"
      "  L[j in 3] = c[4, j]\n",
      "kernel power(X: f32[5], A: f32[5, 5]) -> Y\n"
      "  S[scan t in 6, j in 5]: f32 = sum[k in 5] A[j, k] * select(1 <= t, S[t-1, k], X[k])\n"
      "  Y[t in 6, j in 5] = max(S[t, j], 0)\n",
      "kernel steps(X: f32[4, 6]) -> Y\n"
      "  a[scan t in 4, j in 6]: f32 = X[t, j] + select(1 <= t, b[t-1, j], 0)\n"
      "  d[step t in 4, j in 6]: f32 = a[t, j] * 0.5\n"
      "  b[step t in 4, j in 6]: f32 = d[t, j] + select(2 <= t, d[t-2, j], 0)\n"
      "  e[step t in 4, j in 6]: f32 = a[t, j] - b[t, j] + select(1 <= t, a[t-1, 5-j], 0)\n"
      "  Y[t in 4, j in 6] = e[t, j] * b[t, j] + X[t, j]\n",
  };
  return texts;
}

}  // namespace tw::testing
