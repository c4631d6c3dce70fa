#include "targets/cuda/compiler/fragment_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/cuda/compiler/fragment_tiles.h"
#include "targets/shared/gpu/stage_loops.h"

namespace tw::cuda {
namespace {

using namespace ir;

constexpr int64_t kTerms = 64;  // of a tile: a row of it takes all banks once

/// `ranks`: of the factors; what all products of a batch have in common has no dimension for it.
bool bring_factors(gpu::Steps& steps, gpu::Product const& product, FragmentTiles const& tiles,
                   std::vector<size_t> const& ranks) {
  std::string const& c = product.block;
  for (size_t i : {0, 1})
    if (!steps.take(fmt::format("copy_apart({0}, {0}.k0, tensor={1}, dim={2}, {3})", c,
                                product.factors[i], ranks[i] - 2, tiles.apart())))
      return false;
  if (!steps.take(fmt::format("decompose_reduction({}.k0)", c))) return false;
  return std::ranges::all_of(product.factors, [&](std::string const& factor) {
    std::vector<std::string> loops = steps.loops_below(factor + "_cache", "k0");
    size_t count = loops.size();
    return count >= 2 &&
           fill_by_copies(steps, tiles, factor + "_cache", loops[count - 2], loops[count - 1]);
  });
}

std::optional<Schedule> scheduled(Program const& program, std::shared_ptr<Target const> target,
                                  gpu::Product const& product, FragmentTiles const& tiles,
                                  std::vector<size_t> const& ranks, ProofBudget budget) {
  gpu::Steps steps(Schedule(program, std::move(target)), budget);
  std::string const& c = product.block;
  bool writes = product.epilogue.empty(), many = product.loops.size() > 3;
  std::string last = writes ? c + "_write" : product.epilogue;
  bool made =
      steps.take(fmt::format("{}({}, scope=local)", writes ? "cache_write" : "set_scope", c)) &&
      cut_into_fragments(steps, product, tiles, last, many ? "ABC8b8c" : "AB8a8b") &&
      (!many || steps.take(fmt::format("bind({}.{}, axis=blockIdx.z)", c, product.loops[0]))) &&
      bring_factors(steps, product, tiles, ranks) &&
      multiply(steps, c, tiles, product.extents.back() > tiles.terms);
  if (!made) return std::nullopt;
  widen_stores(steps, last);
  return steps.schedule();
}

std::vector<FragmentTiles> candidates(gpu::Product const& product, MatrixUnit const& unit) {
  std::vector<FragmentTiles> all;
  size_t at = product.extents.size() - 3;
  for (Form const& form : kForms)
    if (product.extents[at] % form.rows == 0 && product.extents[at + 1] % form.columns == 0)
      all.push_back({&unit, form, kTerms});
  return product.extents[at + 2] % kTerms == 0 ? all : std::vector<FragmentTiles>();
}

/// Sizes of tiles of which there are whole ones.
std::vector<int64_t> whole(int64_t extent) {
  return extent % 128 == 0 ? std::vector<int64_t>{64, 128} : std::vector<int64_t>{64};
}

}  // namespace

std::optional<Schedule> fragment_product(Program const& program,
                                         std::shared_ptr<Target const> target,
                                         gpu::Product const& product, MatrixUnit const& unit,
                                         Decisions& decisions, gpu::Judge const& judge) {
  std::vector<FragmentTiles> const all = candidates(product, unit);
  if (all.empty() || unit.packed() != 2) return std::nullopt;
  std::vector<size_t> ranks;
  for (Load const* read : gpu::multiplied_reads(*find_block(program, product.block)->block))
    ranks.push_back(read->indices.size());
  auto fastest = judge.fastest("product in fragments", program, all.size(), [&](size_t i) {
    // Without proofs: the one that is taken is proven.
    return scheduled(program, target, product, all[i], ranks, ProofBudget::kTrusted);
  });
  if (!fastest) return std::nullopt;
  FragmentTiles tiles = all[*fastest];
  size_t at = product.extents.size() - 3;
  tiles.form = form_of(
      decisions.choose(product.block + ".rows", whole(product.extents[at]), tiles.form.rows),
      decisions.choose(product.block + ".columns", whole(product.extents[at + 1]),
                       tiles.form.columns));
  if (auto made = scheduled(program, target, product, tiles, ranks, decisions.budget()))
    return made;
  decisions.reject("tile", "a step of these tiles is refused");
  return scheduled(program, std::move(target), product, all[*fastest], ranks, decisions.budget());
}

}  // namespace tw::cuda
