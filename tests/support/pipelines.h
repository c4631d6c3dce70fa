/// Kernels of many stages, as tests of waits and of lists of moves take them.
#pragma once

namespace tw::testing {

inline constexpr char kAttention[] = R"(tilewright te 1
kernel attention(X: f32[128, 256], WQ: f32[256, 256] @param, WK: f32[256, 256] @param, WV: f32[256, 256] @param, WO: f32[256, 256] @param) -> Y
  Q[h in 4, i in 128, c in 64] = sum[k in 256] X[i, k] * WQ[k, h*64+c]
  K[h in 4, i in 128, c in 64] = sum[k in 256] X[i, k] * WK[k, h*64+c]
  V[h in 4, i in 128, c in 64] = sum[k in 256] X[i, k] * WV[k, h*64+c]
  S[h in 4, i in 128, j in 128] = sum[c in 64] Q[h, i, c] * K[h, j, c]
  M[h in 4, i in 128] = max[j in 128] S[h, i, j]
  E[h in 4, i in 128, j in 128] = exp((S[h, i, j] - M[h, i]) * 0.125)
  T[h in 4, i in 128] = sum[j in 128] E[h, i, j]
  O[h in 4, i in 128, c in 64] = sum[j in 128] E[h, i, j] * V[h, j, c]
  Z[i in 128, h in 4, c in 64] = O[h, i, c] / T[h, i]
  Y[i in 128, j in 256] = sum[h in 4, c in 64] Z[i, h, c] * WO[h*64+c, j]
)";

// F(2, 3) along rows; Lavin and Gray 2016.
inline constexpr char kWinograd[] = R"(tilewright te 1
kernel winograd(X: f32[32, 30, 58], W: f32[64, 32, 3, 3] @param) -> Y
  V[c in 32, y in 30, p in 28, i in 4] = select(i < 1, X[c, y, 2*p] - X[c, y, 2*p+2], select(i < 2, X[c, y, 2*p+1] + X[c, y, 2*p+2], select(i < 3, X[c, y, 2*p+2] - X[c, y, 2*p+1], X[c, y, 2*p+1] - X[c, y, 2*p+3])))
  U[o in 64, c in 32, r in 3, i in 4] = select(i < 1, W[o, c, r, 0], select(i < 3, (W[o, c, r, 0] + W[o, c, r, 2] + select(i < 2, W[o, c, r, 1], -W[o, c, r, 1])) * 0.5, W[o, c, r, 2]))
  M[o in 64, y in 28, p in 28, i in 4] = sum[c in 32, r in 3] V[c, y+r, p, i] * U[o, c, r, i]
  Y[o in 64, y in 28, p in 28, a in 2] = select(a < 1, M[o, y, p, 0] + M[o, y, p, 1] + M[o, y, p, 2], M[o, y, p, 1] - M[o, y, p, 2] - M[o, y, p, 3])
)";

}  // namespace tw::testing
