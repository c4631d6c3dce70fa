/// Small kernels and random steps on them, the same for the same seed: for tests of schedules,
/// interpreted or compiled.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/rewrite.h"
#include "engine/schedule/names.h"
#include "engine/schedule/schedule.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"
#include "engine/tensor/ndarray.h"

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

inline Result<ir::Program> small_program(size_t number) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel("tilewright te 1\n" + small_kernels()[number]));
  return te::to_program(kernel);
}

inline std::vector<NDArray> random_inputs(ir::Program const& program, Rng& rng) {
  std::vector<NDArray> inputs;
  for (ir::Buffer const& buffer : program.inputs) {
    NDArray array = NDArray::create(buffer->type, *ir::constant_shape(*buffer)).value();
    for (float& value : array.as<float>()) value = float(rng.uniform() * 2 - 1);
    inputs.push_back(std::move(array));
  }
  return inputs;
}

/// A word for a parameter that takes any: a tensor of the program, a layout of up to four letters.
inline std::string random_word(ir::Program const& program, std::string const& parameter, Rng& rng) {
  if (parameter == "tensor") {
    std::vector<std::string> names;
    for (ir::BlockSite const& site : ir::blocks_of(program.body))
      ir::walk_exprs(site.block->body, [&](ir::Expr const& e) {
        if (auto const* read = e.as<ir::Load>()) names.push_back(read->buffer->name);
        return true;
      });
    return names.empty() ? "none" : names[size_t(rng.below(int64_t(names.size())))];
  }
  static char const* const kLayouts[] = {"BA",   "AB2b",   "AB3a",     "BA2a4b", "ABC",
                                         "CAB",  "ACB2c",  "ABCD",     "ACDB",   "ABCD4b",
                                         "DBCA", "AB2b2b", "ABCD3b2c", "A2a",    "A"};
  return kLayouts[rng.below(std::size(kLayouts))];
}

/// Some step of a primitive, legal or not, with targets and arguments of the right number.
inline Step propose_step(ir::Program const& program, Rng& rng, Primitive const& primitive) {
  std::vector<ir::LoopSite> loops = ir::loops_of(program.body);
  Step step;
  step.primitive = primitive.name;
  auto name = [&](ir::LoopSite const& site) { return reference_of(program, site.loop->id); };
  std::vector<ir::BlockSite> blocks = ir::blocks_of(program.body);
  // Blocks, and loops of a block beside them: mostly of a neighbour, which may share a tensor.
  auto near = rng.below(int64_t(blocks.size()));
  for (TargetKind kind : primitive.kinds)
    if (kind == TargetKind::kBlock) {
      step.targets.push_back(blocks[size_t(near)].block->name);
    } else {
      auto at = std::clamp<int64_t>(near + (rng.below(2) ? 1 : -1), 0, int64_t(blocks.size()) - 1);
      auto const& around = blocks[size_t(at)].loops;
      step.targets.push_back(
          around.empty() || rng.below(4) == 0
              ? name(loops[size_t(rng.below(int64_t(loops.size())))])
              : reference_of(program, around[size_t(rng.below(int64_t(around.size())))]->id));
    }
  ir::LoopSite const& first = loops[size_t(rng.below(int64_t(loops.size())))];
  std::vector<ir::LoopSite> inside = ir::loops_of(first.loop->body);
  if (step.targets.empty()) step.targets.push_back(name(first));
  int more = !primitive.kinds.empty() ? 0
             : primitive.targets < 0  ? int(rng.between(1, 3))
                                      : primitive.targets - 1;
  for (int i = 0; i < more && !inside.empty(); ++i) {
    // Mostly the next loops of the same nest; now and then any.
    auto at = rng.below(3) > 0 ? size_t(0) : size_t(rng.below(int64_t(inside.size())));
    step.targets.push_back(name(inside[at]));
    inside.erase(inside.begin() + int64_t(at));
  }
  if (primitive.targets < 0)  // any order
    for (size_t i = step.targets.size(); i > 1; --i)
      std::swap(step.targets[i - 1], step.targets[size_t(rng.below(int64_t(i)))]);
  std::vector<Parameter const*> optional;
  for (Parameter const& parameter : primitive.parameters) {
    if (parameter.optional)
      optional.push_back(&parameter);
    else if (parameter.word)
      step.arguments[parameter.name] = random_word(program, parameter.name, rng);
    else if (!parameter.choices.empty())
      step.arguments[parameter.name] =
          parameter.choices[size_t(rng.below(int64_t(parameter.choices.size())))];
    else
      step.arguments[parameter.name] =
          rng.between(parameter.low, std::min<int64_t>(parameter.high, 8));
  }
  if (!optional.empty()) {
    Parameter const& one = *optional[size_t(rng.below(int64_t(optional.size())))];
    int64_t extent = ir::as_int(first.loop->extent).value_or(4);
    if (one.word)
      step.arguments[one.name] = random_word(program, one.name, rng);
    else if (!one.choices.empty())
      step.arguments[one.name] = one.choices[size_t(rng.below(int64_t(one.choices.size())))];
    else
      step.arguments[one.name] =
          rng.between(one.low, std::min(one.high, std::max<int64_t>(extent, one.low)));
  }
  return step;
}

/// The same with a primitive of the table.
inline Step propose_step(ir::Program const& program, Rng& rng) {
  auto table = primitive_table();
  return propose_step(program, rng, *table[size_t(rng.below(int64_t(table.size())))]);
}

}  // namespace tw::testing
