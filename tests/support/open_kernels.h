/// Kernels whose extents are sizes.
#pragma once

#include <array>

namespace tw::testing {

inline constexpr std::array kOpenKernels = {
    "kernel rows(X: f32[n, 6]) -> Y\n  size n in 1..9 = 4\n"
    "  Y[i in n, j in 6] = X[i, j] * 2.0\n",
    "kernel product(A: f32[n, 6], B: f32[6, 10]) -> C\n  size n in 1..11 = 8\n"
    "  C[i in n, j in 10] = sum[k in 6] A[i, k] * B[k, j]\n",
    "kernel columns(A: f32[5, 6], B: f32[6, m]) -> C\n  size m in 1..12 = 9\n"
    "  C[i in 5, j in m] = sum[k in 6] A[i, k] * B[k, j]\n",
    "kernel depth(A: f32[5, k], B: f32[k, 7] @param) -> C\n  size k in 1..10 = 6\n"
    "  C[i in 5, j in 7] = sum[r in k] A[i, r] * B[r, j]\n",
    "kernel both(A: f32[n, 4], B: f32[4, m]) -> C\n  size n in 1..5 = 3\n  size m in 2..5 = 5\n"
    "  C[i in n, j in m] = sum[k in 4] A[i, k] * B[k, j]\n",
    "kernel conv(X: f32[3, h + 2, 8], W: f32[4, 3, 3, 3] @param) -> Y\n  size h in 1..6 = 5\n"
    "  Y[o in 4, y in h, x in 6] = sum[c in 3, r in 3, s in 3] X[c, y+r, x+s] * W[o, c, r, s]\n",
    "kernel padded(X: f32[h, 7], W: f32[3, 3]) -> Y\n  size h in 1..6 = 4\n"
    "  P[y in h + 2, x in 9] = select(1 <= y && y < h+1 && 1 <= x && x < 8, X[y-1, x-1], 0)\n"
    "  Y[y in h, x in 7] = sum[r in 3, s in 3] P[y+r, x+s] * W[r, s]\n",
    "kernel strided(X: f32[2 * b, 9]) -> Y\n  size b in 1..6 = 3\n"
    "  Y[i in b, j in 4] = max[r in 2, s in 3] X[i*2+r, j*2+s]\n",
    "kernel softmax(X: f32[n, 7]) -> Y\n  size n in 1..8 = 5\n"
    "  M[i in n] = max[j in 7] X[i, j]\n"
    "  E[i in n, j in 7] = exp(X[i, j] - M[i])\n"
    "  S[i in n] = sum[j in 7] E[i, j]\n"
    "  Y[i in n, j in 7] = E[i, j] / S[i]\n",
    "kernel norm(X: f32[3, n], G: f32[n] @param) -> Y\n  size n in 1..9 = 7\n"
    "  S[i in 3] = sum[j in n] X[i, j]\n"
    "  D[i in 3, j in n] = X[i, j] - S[i] / f32(n)\n"
    "  V[i in 3] = sum[j in n] D[i, j] * D[i, j]\n"
    "  Y[i in 3, j in n] = D[i, j] / sqrt(V[i] / f32(n) + 0.00001) * G[j]\n",
    "kernel running(X: f32[t, 4]) -> Y\n  size t in 1..7 = 6\n"
    "  Y[scan i in t, j in 4] = select(1 <= i, Y[i-1, j] * 0.5, 0) + X[i, j]\n",
    "kernel dots(A: u8[n, 12], B: i8[5, 12]) -> C\n  size n in 1..7 = 4\n"
    "  C[i in n, j in 5] = sum[k in 12] i32(A[i, k]) * i32(B[j, k])\n",
    "kernel transposed(X: f32[n, m]) -> Y\n  size n in 1..6 = 4\n  size m in 1..6 = 3\n"
    "  Y[j in m, i in n] = X[i, j]\n",
};

}  // namespace tw::testing
