// Tensor expressions that a user writes: examples, and what is wrong with a text.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/session/use_cases.h"
#include "engine/te/te.h"

namespace tw::session {
namespace {

constexpr size_t kMostText = 256 << 10;
constexpr size_t kMostProblems = 10;

constexpr char kMatmul[] =
    R"(tilewright te 1
# A matrix product. Try: tile(C.i, C.j), then vectorize the inner loop of j.
kernel matmul(A: f32[256, 256], B: f32[256, 256]) -> C
  C[i in 256, j in 256] = sum[k in 256] A[i, k] * B[k, j]
)";

constexpr char kConvolution[] =
    R"(tilewright te 1
# A 3x3 convolution with padding, bias and relu. Roles say what an axis is for.
kernel convolution(X: f32[1, 32, 28, 28], W: f32[64, 32, 3, 3] @param, B: f32[64] @param) -> Y
  pad[n in 1, c in 32, y in 30, x in 30] = select(1 <= y && y < 29 && 1 <= x && x < 29, X[n, c, y-1, x-1], 0)
  conv[n in 1 as batch, o in 64 as out_channel, y in 28 as height, x in 28 as width] op conv2d = sum[c in 32 as in_channel, r in 3 as kernel_height, s in 3 as kernel_width] pad[n, c, y+r, x+s] * W[o, c, r, s]
  Y[n in 1, o in 64, y in 28, x in 28] = max(conv[n, o, y, x] + B[o], 0)
)";

constexpr char kSoftmax[] =
    R"(tilewright te 1
# Four stages. Try: compute_at(e, t.k) or reverse_compute_at to keep a row in cache.
kernel softmax(X: f32[128, 512]) -> Y
  m[b in 128] = max[k in 512] X[b, k]
  e[b in 128, i in 512] = exp(X[b, i] - m[b])
  t[b in 128] = sum[k in 512] e[b, k]
  Y[b in 128, i in 512] = e[b, i] / t[b]
)";

constexpr char kStencil[] =
    R"(tilewright te 1
# Two sweeps of a five-point stencil. Try: compute_at the first sweep in a tile of the second.
kernel stencil(X: f32[258, 258]) -> Y
  A[i in 256, j in 256] = (X[i, j+1] + X[i+1, j] + X[i+1, j+1] + X[i+1, j+2] + X[i+2, j+1]) * 0.2
  Y[i in 254, j in 254] = (A[i, j+1] + A[i+1, j] + A[i+1, j+1] + A[i+1, j+2] + A[i+2, j+1]) * 0.2
)";

constexpr char kScan[] =
    R"(tilewright te 1
# A recurrence: t runs in order, j is free. Try: parallel(H.j) after moving it outside.
kernel recurrence(X: f32[64, 512], D: f32[512] @param) -> H
  H[scan t in 64, j in 512]: f32 = X[t, j] + select(1 <= t, H[t-1, j] * D[j], 0)
)";

constexpr char kLayerNorm[] =
    R"(tilewright te 1
# Mean and variance of each row, then the row scaled.
kernel layer_norm(X: f32[128, 256], G: f32[256] @param, B: f32[256] @param) -> Y
  total[b in 128] = sum[k in 256] X[b, k]
  squares[b in 128] = sum[k in 256] (X[b, k] - total[b] / 256.0) * (X[b, k] - total[b] / 256.0)
  Y[b in 128, i in 256] = (X[b, i] - total[b] / 256.0) / sqrt(squares[b] / 256.0 + 0.00001) * G[i] + B[i]
)";

/// The first word of a line, which a stage names its tensor by.
std::string first_word(std::string_view line) {
  size_t from = std::min(line.find_first_not_of(" \t"), line.size()), to = from;
  while (to < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[to])) || line[to] == '_'))
    ++to;
  return std::string(line.substr(from, to - from));
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<ExpressionExample> const& expression_examples() {
  static std::vector<ExpressionExample> const examples{
      {"matmul", "Matrix product", kMatmul},      {"convolution", "Convolution", kConvolution},
      {"softmax", "Softmax", kSoftmax},           {"stencil", "Stencil, two sweeps", kStencil},
      {"recurrence", "Recurrence (scan)", kScan}, {"layer_norm", "Layer norm", kLayerNorm}};
  return examples;
}

std::vector<ExpressionProblem> problems_in(std::string const& text) {
  if (text.size() > kMostText) return {{0, 0, "the text is longer than 256 KiB"}};
  std::vector<ExpressionProblem> problems;
  std::vector<std::string> lines = lines_of(text), lost;
  // The reader stops at the first mistake. Its line is taken out and the rest is read again; what
  // is said then about the tensor that the line would have made is no mistake of its own.
  for (size_t round = 0; round < 4 * kMostProblems && problems.size() < kMostProblems; ++round) {
    std::string all;
    for (std::string const& line : lines) all += line + "\n";
    auto kernel = te::parse_kernel(all);
    if (kernel) break;
    Error const& error = kernel.error();
    auto line = size_t(std::max(error.place.line, 0));
    bool inside = line >= 1 && line <= lines.size() && !lines[line - 1].empty();
    bool follows = std::ranges::any_of(lost, [&](std::string const& name) {
      return !name.empty() && error.message.find("'" + name + "'") != std::string::npos;
    });
    if (!follows)
      problems.push_back({inside ? int(line) : std::max(1, int(lines.size())),
                          inside ? error.place.column : 0, error.message});
    bool below_head =
        inside && std::any_of(lines.begin(), lines.begin() + int64_t(line) - 1,
                              [](std::string const& l) { return first_word(l) == "kernel"; });
    if (!below_head) break;
    lost.push_back(first_word(lines[line - 1]));
    lines[line - 1].clear();
  }
  return problems;
}

}  // namespace tw::session
