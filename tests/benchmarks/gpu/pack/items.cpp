#include "tests/benchmarks/gpu/pack/items.h"

#include <fmt/format.h>

namespace tw::gpu_bench {
namespace {

TimedItem product(std::string name, int64_t n, int64_t m, int64_t k) {
  std::string text = fmt::format(
      "kernel {0}(A: f32[{1}, {3}], B: f32[{3}, {2}]) -> C\n"
      "  C[i in {1}, j in {2}] = sum[k in {3}] A[i, k] * B[k, j]\n",
      name, n, m, k);
  return {std::move(name), text, {{"op", "matmul"}, {"n", n}, {"m", m}, {"k", k}}};
}

TimedItem batched_product(std::string name, int64_t batch, int64_t n) {
  std::string text = fmt::format(
      "kernel {0}(A: f32[{1}, {2}, {2}], B: f32[{1}, {2}, {2}]) -> C\n"
      "  C[b in {1}, i in {2}, j in {2}] = sum[k in {2}] A[b, i, k] * B[b, k, j]\n",
      name, batch, n);
  return {std::move(name), text, {{"op", "batched_matmul"}, {"batch", batch}, {"n", n}}};
}

TimedItem matrix_vector(std::string name, int64_t n) {
  std::string text = fmt::format(
      "kernel {0}(A: f32[{1}, {1}], X: f32[{1}]) -> Y\n"
      "  Y[i in {1}] = sum[k in {1}] A[i, k] * X[k]\n",
      name, n);
  return {std::move(name), text, {{"op", "matrix_vector"}, {"n", n}}};
}

struct Convolution {
  char const* name;
  int64_t image, channels, filters, window, stride;
};
// As the benchmarks of single operators on processors name them (kernels/workloads.cpp).
constexpr Convolution kConvolutions[] = {
    {"C1", 224, 3, 64, 7, 2},    {"C2", 56, 64, 64, 3, 1},    {"C3", 56, 64, 64, 1, 1},
    {"C4", 56, 64, 128, 3, 2},   {"C5", 56, 64, 128, 1, 2},   {"C6", 28, 128, 128, 3, 1},
    {"C7", 28, 128, 256, 3, 2},  {"C8", 28, 128, 256, 1, 2},  {"C9", 14, 256, 256, 3, 1},
    {"C10", 14, 256, 512, 3, 2}, {"C11", 14, 256, 512, 1, 2}, {"C12", 7, 512, 512, 3, 1}};
constexpr Convolution kDepthwise[] = {{"D1", 112, 32, 32, 3, 1},
                                      {"D3", 56, 128, 128, 3, 1},
                                      {"D5", 28, 256, 256, 3, 1},
                                      {"D7", 14, 512, 512, 3, 1},
                                      {"D9", 7, 1024, 1024, 3, 1}};

/// The padded input, and how it is read: nothing is padded for windows of one element.
std::pair<std::string, std::string> padded(Convolution const& of, int64_t batch) {
  int64_t pad = of.window / 2, side = of.image + 2 * pad;
  if (pad == 0) return {"", "X"};
  return {fmt::format("  P[n in {0}, c in {1}, y in {2}, x in {2}] = select({3} <= y && y < {4} && "
                      "{3} <= x && x < {4}, X[n, c, y-{3}, x-{3}], 0.0)\n",
                      batch, of.channels, side, pad, of.image + pad),
          "P"};
}

std::string strided(char const* axis, char const* window, int64_t stride) {
  return stride == 1 ? fmt::format("{}+{}", axis, window)
                     : fmt::format("{}*{}+{}", axis, stride, window);
}

nlohmann::json peer_of(Convolution const& of, int64_t batch, int64_t groups) {
  return {{"op", "conv"},          {"batch", batch},
          {"image", of.image},     {"channels", of.channels},
          {"filters", of.filters}, {"window", of.window},
          {"stride", of.stride},   {"groups", groups}};
}

TimedItem convolution(Convolution const& of, int64_t batch) {
  std::string name = batch == 1 ? of.name : fmt::format("{}_batch{}", of.name, batch);
  int64_t side = (of.image + 2 * (of.window / 2) - of.window) / of.stride + 1;
  auto [stage, from] = padded(of, batch);
  std::string text = fmt::format(
      "kernel {0}(X: f32[{1}, {2}, {3}, {3}], W: f32[{4}, {2}, {5}, {5}]) -> Y\n{6}"
      "  Y[n in {1}, o in {4}, y in {7}, x in {7}] = sum[c in {2}, r in {5}, s in {5}] {8}[n, c, "
      "{9}, {10}] * W[o, c, r, s]\n",
      name, batch, of.channels, of.image, of.filters, of.window, stage, side, from,
      strided("y", "r", of.stride), strided("x", "s", of.stride));
  return {std::move(name), text, peer_of(of, batch, 1)};
}

TimedItem depthwise(Convolution const& of) {
  auto [stage, from] = padded(of, 1);
  std::string text = fmt::format(
      "kernel {0}(X: f32[1, {1}, {2}, {2}], W: f32[{1}, 3, 3]) -> Y\n{3}"
      "  Y[n in 1, c in {1}, y in {2}, x in {2}] = sum[r in 3, s in 3] {4}[n, c, y+r, x+s] * "
      "W[c, r, s]\n",
      of.name, of.channels, of.image, stage, from);
  return {of.name, text, peer_of(of, 1, of.channels)};
}

TimedItem softmax(std::string name, int64_t rows, int64_t n) {
  std::string text = fmt::format(
      "kernel {0}(X: f32[{1}, {2}]) -> Y\n"
      "  M[i in {1}] = max[j in {2}] X[i, j]\n"
      "  E[i in {1}, j in {2}] = exp(X[i, j] - M[i])\n"
      "  S[i in {1}] = sum[j in {2}] E[i, j]\n"
      "  Y[i in {1}, j in {2}] = E[i, j] / S[i]\n",
      name, rows, n);
  return {std::move(name), text, {{"op", "softmax"}, {"rows", rows}, {"n", n}}};
}

TimedItem layer_norm(std::string name, int64_t rows, int64_t n) {
  std::string text = fmt::format(
      "kernel {0}(X: f32[{1}, {2}], G: f32[{2}], B: f32[{2}]) -> Y\n"
      "  S[i in {1}] = sum[j in {2}] X[i, j]\n"
      "  D[i in {1}, j in {2}] = X[i, j] - S[i] / {2}.0\n"
      "  V[i in {1}] = sum[j in {2}] D[i, j] * D[i, j]\n"
      "  Y[i in {1}, j in {2}] = D[i, j] / sqrt(V[i] / {2}.0 + 0.00001) * G[j] + B[j]\n",
      name, rows, n);
  return {std::move(name), text, {{"op", "layer_norm"}, {"rows", rows}, {"n", n}}};
}

TimedItem rms_norm(std::string name, int64_t rows, int64_t n) {
  std::string text = fmt::format(
      "kernel {0}(X: f32[{1}, {2}], G: f32[{2}]) -> Y\n"
      "  S[i in {1}] = sum[j in {2}] X[i, j] * X[i, j]\n"
      "  Y[i in {1}, j in {2}] = X[i, j] / sqrt(S[i] / {2}.0 + 0.00001) * G[j]\n",
      name, rows, n);
  return {std::move(name), text, {{"op", "rms_norm"}, {"rows", rows}, {"n", n}}};
}

TimedItem sums(std::string name, char const* op, int64_t rows, int64_t n) {
  std::string made = std::string(op) == "row_sums"
                         ? fmt::format("  S[i in {0}] = sum[j in {1}] X[i, j]\n", rows, n)
                     : std::string(op) == "column_sums"
                         ? fmt::format("  S[j in {1}] = sum[i in {0}] X[i, j]\n", rows, n)
                         : fmt::format("  S[] = sum[i in {0}, j in {1}] X[i, j]\n", rows, n);
  std::string text = fmt::format("kernel {}(X: f32[{}, {}]) -> S\n{}", name, rows, n, made);
  return {std::move(name), text, {{"op", op}, {"rows", rows}, {"n", n}}};
}

TimedItem addition(std::string name, int64_t n) {
  std::string text = fmt::format(
      "kernel {0}(X: f32[{1}], Z: f32[{1}]) -> Y\n  Y[i in {1}] = X[i] + Z[i]\n", name, n);
  return {std::move(name), text, {{"op", "add"}, {"n", n}}};
}

TimedItem gelu(std::string name, int64_t n) {
  std::string text = fmt::format(
      "kernel {0}(X: f32[{1}]) -> Y\n"
      "  Y[i in {1}] = 0.5 * X[i] * (1.0 + tanh(0.7978845608 * (X[i] + 0.044715 * X[i] * X[i] * "
      "X[i])))\n",
      name, n);
  return {std::move(name), text, {{"op", "gelu"}, {"n", n}}};
}

TimedItem transpose(std::string name, int64_t n) {
  std::string text = fmt::format(
      "kernel {0}(X: f32[{1}, {1}]) -> Y\n  Y[i in {1}, j in {1}] = X[j, i]\n", name, n);
  return {std::move(name), text, {{"op", "transpose"}, {"n", n}}};
}

TimedItem pool(std::string name, int64_t channels, int64_t image) {
  int64_t side = (image - 3) / 2 + 1;
  std::string text = fmt::format(
      "kernel {0}(X: f32[1, {1}, {2}, {2}]) -> Y\n"
      "  Y[n in 1, c in {1}, y in {3}, x in {3}] = max[r in 3, s in 3] X[n, c, y*2+r, x*2+s]\n",
      name, channels, image, side);
  return {std::move(name), text, {{"op", "max_pool"}, {"channels", channels}, {"image", image}}};
}

TimedItem attention(std::string name, int64_t heads, int64_t n, int64_t d) {
  std::string text = fmt::format(
      "kernel {0}(Q: f32[{1}, {2}, {3}], K: f32[{1}, {2}, {3}], V: f32[{1}, {2}, {3}]) -> Y\n"
      "  P[h in {1}, i in {2}, j in {2}] = sum[d in {3}] Q[h, i, d] * K[h, j, d]\n"
      "  M[h in {1}, i in {2}] = max[j in {2}] P[h, i, j]\n"
      "  E[h in {1}, i in {2}, j in {2}] = exp(P[h, i, j] - M[h, i])\n"
      "  S[h in {1}, i in {2}] = sum[j in {2}] E[h, i, j]\n"
      "  Y[h in {1}, i in {2}, d in {3}] = sum[j in {2}] E[h, i, j] / S[h, i] * V[h, j, d]\n",
      name, heads, n, d);
  return {std::move(name), text, {{"op", "attention"}, {"heads", heads}, {"n", n}, {"d", d}}};
}

/// Each kind once, in shapes that do not divide.
std::vector<TimedItem> small_items() {
  Convolution padded{"C2", 8, 3, 5, 3, 2}, plain{"C5", 9, 4, 6, 1, 2}, wide{"C1", 12, 2, 4, 7, 2};
  return {product("S48", 48, 48, 48),
          product("skinny", 3, 40, 24),
          batched_product("B16", 2, 16),
          matrix_vector("matrix_vector", 37),
          convolution(padded, 2),
          convolution(plain, 1),
          convolution(wide, 1),
          depthwise({"D3", 9, 4, 4, 3, 1}),
          softmax("softmax", 5, 33),
          layer_norm("layer_norm", 3, 40),
          rms_norm("rms_norm", 3, 40),
          sums("row_sums", "row_sums", 7, 33),
          sums("column_sums", "column_sums", 33, 7),
          sums("total", "total", 9, 17),
          addition("add", 100),
          gelu("gelu", 130),
          transpose("transpose", 19),
          pool("max_pool", 3, 13),
          attention("attention", 2, 9, 5)};
}

std::vector<TimedItem> full_items() {
  std::vector<TimedItem> all;
  for (int64_t n : {512, 1024, 2048, 4096}) all.push_back(product(fmt::format("S{}", n), n, n, n));
  all.push_back(product("skinny", 16, 4096, 4096));
  all.push_back(product("odd", 1000, 1000, 1000));
  all.push_back(batched_product("batch64", 64, 256));
  all.push_back(matrix_vector("matrix_vector", 4096));
  for (int64_t batch : {1, 16})
    for (Convolution const& one : kConvolutions) all.push_back(convolution(one, batch));
  for (Convolution const& one : kDepthwise) all.push_back(depthwise(one));
  all.push_back(softmax("softmax", 4096, 1024));
  all.push_back(softmax("softmax_wide", 512, 32768));
  all.push_back(layer_norm("layer_norm", 4096, 1024));
  all.push_back(rms_norm("rms_norm", 4096, 4096));
  all.push_back(sums("row_sums", "row_sums", 8192, 4096));
  all.push_back(sums("column_sums", "column_sums", 8192, 4096));
  all.push_back(sums("total", "total", 1024, 2048));
  all.push_back(addition("add", int64_t(1) << 25));
  all.push_back(gelu("gelu", int64_t(1) << 25));
  all.push_back(transpose("transpose", 4096));
  all.push_back(pool("max_pool", 64, 113));
  all.push_back(attention("attention", 16, 1024, 64));
  return all;
}

}  // namespace

std::vector<TimedItem> timed_items(Sizes sizes) {
  return sizes == Sizes::kSmall ? small_items() : full_items();
}

}  // namespace tw::gpu_bench
