#include "engine/tuner/features/program_tree.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/analysis/touched.h"
#include "engine/ir/stmt.h"
#include "engine/tuner/features/loop_features.h"
#include "engine/tuner/features/time_features.h"

namespace tw {
namespace {

using namespace ir;

constexpr size_t kTensors = 3;  // of a loop, as loop_features has them
constexpr size_t kKinds = 5;
constexpr size_t kOfLoop = 3 + kKinds + 3 * kTensors;
constexpr size_t kOfBlock = 4;
constexpr size_t kOfProgram = 1 + kTimeColumns;
constexpr size_t kWidth = kOfLoop + kOfBlock + kOfProgram;

float logarithm(double value) {
  return float(std::copysign(std::log2(std::abs(value) + 1), value));
}

struct TreeNode {
  int32_t parent = FeatureTree::kRoot;
  double iterations = 0;  ///< of the block that the row speaks of
  std::vector<float> row;
};

std::vector<float> row_of_loop(LoopContext const& loop) {
  std::vector<float> row;
  for (double value : {loop.length, loop.top_down, loop.bottom_up}) row.push_back(logarithm(value));
  for (size_t kind = 0; kind < kKinds; ++kind) row.push_back(float(loop.kind == LoopKind(kind)));
  for (size_t t = 0; t < kTensors; ++t) {
    TensorContext tensor = t < loop.tensors.size() ? loop.tensors[t] : TensorContext{};
    for (double value : {tensor.touched, tensor.reuse, tensor.stride})
      row.push_back(logarithm(value));
  }
  row.resize(kWidth, 0.0F);
  return row;
}

/// How often it is run stands where loops have it; what it reads and writes is its own.
std::vector<float> row_of_block(BlockSite const& site, double iterations) {
  std::vector<float> row(kWidth, 0.0F);
  row[0] = row[2] = logarithm(1);
  row[1] = logarithm(iterations);
  double reads = 0, writes = 0;
  for (analysis::TensorAccess const& access : analysis::accesses_of(site))
    ++(access.writes ? writes : reads);
  row[kOfLoop] = 1;
  row[kOfLoop + 1] = logarithm(reads);
  row[kOfLoop + 2] = logarithm(writes);
  row[kOfLoop + 3] =
      float(std::ranges::count(site.block->iters, IterKind::kReduce, &IterVar::kind));
  return row;
}

/// Shares of the time, as logarithms; the first column says whether there are any.
std::vector<float> row_of_program(std::optional<analysis::TimeModel> const& modelled) {
  std::vector<float> row(kWidth, 0.0F);
  row[kOfLoop + kOfBlock] = 1;
  std::span<float> shares = std::span(row).last(kTimeColumns);
  fill_time_shares(modelled, shares);
  for (float& share : shares)
    if (std::isnan(share)) share = 0;
  shares[0] = float(modelled && modelled->seconds > 0);  // of the whole itself nothing is said
  return row;
}

double iterations_of(std::vector<LoopContext> const& loops) {
  return loops.empty() ? 1 : loops.front().bottom_up;
}

}  // namespace

size_t program_tree_width() { return kWidth; }

Result<FeatureTree> program_tree(Program const& program,
                                 std::optional<analysis::TimeModel> const& modelled) {
  std::vector<TreeNode> nodes = {{.iterations = 0, .row = row_of_program(modelled)}};
  std::map<For const*, int32_t> numbers;
  for (BlockSite const& site : blocks_of(program.body)) {
    std::vector<LoopContext> loops = contexts_of(site);
    double iterations = iterations_of(loops);
    int32_t parent = 0;
    for (size_t i = 0; i < loops.size(); ++i) {
      auto [place, is_new] = numbers.try_emplace(site.loops[i], int32_t(nodes.size()));
      if (is_new) nodes.push_back({.parent = parent, .iterations = 0, .row = {}});
      TreeNode& node = nodes[size_t(place->second)];
      if (iterations > node.iterations)
        node.iterations = iterations, node.row = row_of_loop(loops[i]);
      parent = place->second;
    }
    nodes.push_back({parent, iterations, row_of_block(site, iterations)});
  }
  std::vector<float> features;
  std::vector<int32_t> parents;
  for (TreeNode const& node : nodes) {
    features.insert(features.end(), node.row.begin(), node.row.end());
    parents.push_back(node.parent);
  }
  return FeatureTree::create(program_tree_width(), std::move(features), std::move(parents));
}

}  // namespace tw
