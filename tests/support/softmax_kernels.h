/// Small kernels with a softmax at random, and the steps that make them ready for a rolling update.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/schedule/schedule.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"
#include "tests/support/random_schedules.h"

namespace tw::testing {

/// Rows of scores, given or of queries and keys, with a mask that is added or none; powers in a
/// stage of their own or in each sum; the result by element, a sum, or attention.
inline std::string softmax_kernel(Rng& rng) {
  int64_t rows = rng.between(1, 4), keys = rng.between(2, 13), wide = rng.between(1, 3);
  bool products = rng.below(2) == 0, masked = rng.below(3) == 0, apart = rng.below(3) > 0;
  std::string inputs = products ? fmt::format("Q: f32[{}, 3], K: f32[{}, 3]", rows, keys)
                                : fmt::format("X: f32[{}, {}]", rows, keys);
  if (masked) inputs += fmt::format(", B: f32[{}, {}]", rows, keys);
  std::string axes = fmt::format("i in {}, j in {}", rows, keys), text, scores = "X[i, j]";
  if (products) {
    text += fmt::format("  P[{}] = sum[d in 3] Q[i, d] * K[j, d]\n", axes);
    scores = "P[i, j]";
  }
  if (masked) {
    text += fmt::format("  B2[{}] = {} + B[i, j]\n", axes, scores);
    scores = "B2[i, j]";
  }
  text += fmt::format("  M[i in {}] = max[j in {}] {}\n", rows, keys, scores);
  std::string power = fmt::format("exp({} - M[i])", scores);
  if (apart) {
    text += fmt::format("  E[{}] = {}\n", axes, power);
    power = "E[i, j]";
  }
  text += fmt::format("  S[i in {}] = sum[j in {}] {}\n", rows, keys, power);
  switch (rng.below(apart ? 2 : 3)) {
    case 0:
      inputs += fmt::format(", V: f32[{}, {}]", keys, wide);
      text += fmt::format("  Y[i in {}, d in {}] = sum[j in {}] {} / S[i] * V[j, d]\n", rows, wide,
                          keys, power);
      break;
    case 1:
      inputs += fmt::format(", V: f32[{}, {}]", keys, wide);
      text += fmt::format(
          "  O[i in {0}, d in {1}] = sum[j in {2}] V[j, d] * {3}\n"
          "  Y[i in {0}, d in {1}] = O[i, d] / S[i]\n",
          rows, wide, keys, power);
      break;
    default:
      text += fmt::format("  Y[{}] = {} / S[i]\n", axes, power);
  }
  return fmt::format("kernel softmax({}) -> Y\n", inputs) + text;
}

/// The loops of the softmax split by one factor and outermost in their nests, and the update. Now
/// and then one of them is left out, or of another factor.
inline std::pair<std::vector<Step>, Step> rolling_steps(ir::Program const& program, Rng& rng,
                                                        bool faults) {
  std::vector<Step> steps;
  Step update{"rolling_update", {}, {}, {"t"}};
  int64_t factor = 0;
  for (char const* block : {"M", "E", "S", "O", "Y"}) {
    auto site = find_block(program, block);
    if (!site || !find_loop(program, std::string(block) + ".j")) continue;
    if (std::string(block) == "Y" && !site->block->init) continue;
    int64_t keys = *ir::as_int(find_loop(program, std::string(block) + ".j")->loop->extent);
    if (factor == 0) factor = rng.between(1, std::max<int64_t>(1, (keys + 1) / 2));
    bool other = faults && rng.below(10) == 0;
    int64_t own = other ? rng.between(1, keys) : factor;
    std::string tile = fmt::format("{}.{}0", block, block);
    steps.push_back({"split",
                     {std::string(block) + ".j"},
                     {{"factor", own}},
                     {std::string(block) + "0", std::string(block) + "1"}});
    Step order{"reorder", {tile}, {}, {}};
    for (ir::For const* loop : site->loops)
      if (loop->name() != "j") order.targets.push_back(reference_of(program, loop->id));
    steps.push_back(std::move(order));
    if (!faults || rng.below(12) > 0) update.targets.push_back(tile);
  }
  return {std::move(steps), std::move(update)};
}

}  // namespace tw::testing
