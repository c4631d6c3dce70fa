/// Small kernels by hand, of the usual kinds and types.
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
      "kernel transposed(X: f32[3, 4], W: f32[3, 2, 3]) -> Y\n"
      "  Y[o in 2, x in 9] = sum[c in 3, r in 3] select(r <= x && (x-r) % 2 == 0 && x-r < 8, "
      "X[c, (x-r)//2] * W[c, o, r], 0)\n",
      "kernel dilated(X: f32[3, 9], W: f32[4, 3, 3]) -> Y\n"
      "  Y[o in 4, x in 5] = sum[c in 3, r in 3] X[c, x+2*r] * W[o, c, r]\n",
      "kernel average(X: f32[2, 7, 5]) -> Y\n"
      "  S[c in 2, y in 3, x in 2] = sum[r in 3, s in 3] X[c, y*2+r, x*2+s]\n"
      "  Y[c in 2, y in 3, x in 2] = S[c, y, x] * 0.125\n",
      "kernel layer_norm(X: f32[4, 6], G: f32[6], B: f32[6]) -> Y\n"
      "  m[b in 4] = sum[k in 6] X[b, k]\n"
      "  d[b in 4, i in 6] = X[b, i] - m[b] / 6.0\n"
      "  v[b in 4] = sum[k in 6] d[b, k] * d[b, k]\n"
      "  Y[b in 4, i in 6] = d[b, i] / sqrt(v[b] / 6.0 + 0.5) * G[i] + B[i]\n",
      "kernel attention(Q: f32[3, 4], K: f32[5, 4], V: f32[5, 4]) -> Y\n"
      "  s[i in 3, j in 5] = sum[k in 4] Q[i, k] * K[j, k]\n"
      "  m[i in 3] = max[j in 5] s[i, j]\n"
      "  e[i in 3, j in 5] = exp(s[i, j] - m[i])\n"
      "  t[i in 3] = sum[j in 5] e[i, j]\n"
      "  o[i in 3, c in 4] = sum[j in 5] e[i, j] * V[j, c]\n"
      "  Y[i in 3, c in 4] = o[i, c] / t[i]\n",
      "kernel winograd(X: f32[2, 8], W: f32[3, 2, 3]) -> Y\n"
      "  V[c in 2, p in 3, i in 4] = select(i < 1, X[c, 2*p] - X[c, 2*p+2], select(i < 2, "
      "X[c, 2*p+1] + X[c, 2*p+2], select(i < 3, X[c, 2*p+2] - X[c, 2*p+1], X[c, 2*p+1] - "
      "X[c, 2*p+3])))\n"
      "  U[o in 3, c in 2, i in 4] = select(i < 1, W[o, c, 0], select(i < 3, (W[o, c, 0] + "
      "W[o, c, 2] + select(i < 2, W[o, c, 1], -W[o, c, 1])) * 0.5, W[o, c, 2]))\n"
      "  M[o in 3, p in 3, i in 4] = sum[c in 2] V[c, p, i] * U[o, c, i]\n"
      "  Y[o in 3, p in 3, a in 2] = select(a < 1, M[o, p, 0] + M[o, p, 1] + M[o, p, 2], "
      "M[o, p, 1] - M[o, p, 2] - M[o, p, 3])\n",
      "kernel quantized(X: u8[5, 6], W: i8[6, 7], B: i32[7]) -> Y\n"
      "  A[i in 5, j in 7]: i32 = sum[k in 6] i32(X[i, k]) * (i32(W[k, j]) - 4:i32)\n"
      "  Y[i in 5, j in 7]: i8 = saturate(i8, round(f32(A[i, j] + B[j]) * 3.0))\n",
      "kernel wide(X: i16[5, 7], W: i16[7, 3]) -> Y\n"
      "  A[i in 5, j in 3]: i32 = sum[k in 7] i32(X[i, k]) * i32(W[k, j])\n"
      "  Y[i in 5, j in 3]: i16 = saturate(i16, A[i, j] * 300:i32)\n",
      "kernel packed_i4(X: i8[5, 6], B: u8[3, 7]) -> Y\n"
      "  W[k in 3, j in 7]: u8 = B[k, j] * 37:u8 + 11:u8\n"
      "  Y[i in 5, j in 7]: i32 = sum[k in 6] i32(X[i, k]) * i32(unpack(i4, W[k//2, j], "
      "k%2))\n",
      "kernel packs_i4(X: i8[5, 6], W: i8[6, 8]) -> Y\n"
      "  A[i in 5, j in 8]: i32 = sum[k in 6] i32(X[i, k]) * i32(W[k, j])\n"
      "  Q[i in 5, j in 8]: i32 = min(max(A[i, j] // 16:i32, -8:i32), 7:i32)\n"
      "  Y[i in 5, j in 4]: u8 = pack(i4, Q[i, j*2], Q[i, j*2+1])\n",
      "kernel packed_i2(X: i8[5, 7], B: u8[2, 6]) -> Y\n"
      "  W[k in 2, j in 6]: u8 = B[k, j] * 53:u8 + 6:u8\n"
      "  Y[i in 5, j in 6]: i32 = sum[k in 7] i32(X[i, k]) * i32(unpack(i2, W[k//4, j], "
      "k%4))\n",
      "kernel binary(A: u8[4, 3], B: u8[5, 3]) -> Y\n"
      "  P[i in 4, k in 3]: u8 = A[i, k] * 29:u8 + 3:u8\n"
      "  Q[j in 5, k in 3]: u8 = B[j, k] * 41:u8 + 5:u8\n"
      "  S[i in 4, j in 5]: i32 = sum[k in 3] i32(popcount(P[i, k] ^ Q[j, k]))\n"
      "  Y[i in 4, j in 5]: i32 = 24:i32 - 2:i32 * S[i, j]\n",
      "kernel bit_serial(A: u8[4, 5], B: u8[5, 5]) -> Y\n"
      "  P[p in 2, i in 4]: i32 = sum[k in 5] i32(unpack(u1, A[i, k], p)) << i32(k)\n"
      "  Q[q in 2, j in 5]: i32 = sum[k in 5] i32(unpack(u1, B[j, k], q)) << i32(k)\n"
      "  Y[i in 4, j in 5]: i32 = sum[p in 2, q in 2] popcount(P[p, i] & Q[q, j]) << i32(p + "
      "q)\n",
      "kernel brains(X: bf16[5, 6], W: bf16[6, 3]) -> Y\n"
      "  Y[i in 5, j in 3] = sum[k in 6] f32(X[i, k]) * f32(W[k, j])\n",
  };
  return texts;
}

}  // namespace tw::testing
