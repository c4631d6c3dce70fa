#include "targets/shared/gpu/thread_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"

namespace tw::gpu {
namespace {

constexpr int64_t kLastParts = 16;  // that one thread adds at the end

std::set<std::string> block_names(Steps const& steps) {
  std::set<std::string> names;
  for (ir::BlockSite const& site : ir::blocks_of(steps.schedule().program().body))
    names.insert(site.block->name);
  return names;
}

/// The layout whose last dimension is the first one of the tensor: "BCA".
std::string parts_last(Steps const& steps, std::string const& block) {
  auto site = find_block(steps.schedule().program(), block);
  std::string layout;
  if (!site) return layout;
  for (ir::IterVar const& iter : site->block->iters)
    if (iter.kind == ir::IterKind::kSpatial) layout += char('A' + layout.size());
  return layout.substr(1) + "A";
}

/// The iterations of a loop of `block` become threads, each with a part of the sum.
bool share(Steps& steps, std::string const& block, std::string const& loop, ThreadSum const& sum) {
  std::string parts = factored(steps, block + "." + loop);
  if (parts.empty() || !steps.take(fmt::format("set_scope({}, scope=shared)", parts))) return false;
  // The parts of a row lie side by side, as its threads do: no two of these want one bank.
  if (sum.rows &&
      !steps.take(fmt::format("transform_layout({}, layout={})", parts, parts_last(steps, parts))))
    return false;
  return steps.take(fmt::format("bind({}, axis={})", first_axis(steps, parts), sum.axis));
}

}  // namespace

std::string factored(Steps& steps, std::string const& loop) {
  std::set<std::string> before = block_names(steps);
  if (!steps.take(fmt::format("rfactor({})", loop))) return {};
  for (std::string const& name : block_names(steps))
    if (!before.contains(name)) return name;
  return {};
}

std::string first_axis(Steps const& steps, std::string const& block) {
  auto site = find_block(steps.schedule().program(), block);
  if (!site || site->block->iters.empty()) return {};
  for (ir::For const* loop : site->loops)
    if (ir::uses_variable(site->block->iters[0].binding, loop->name()))
      return reference_of(steps.schedule().program(), loop->id);
  return {};
}

std::string fused_reduction(Steps& steps, std::string const& block) {
  auto site = find_block(steps.schedule().program(), block);
  if (!site) return {};
  std::vector<std::string> loops;
  for (ir::For const* loop : site->loops)
    if (std::ranges::any_of(site->block->iters, [&](ir::IterVar const& iter) {
          return iter.kind == ir::IterKind::kReduce &&
                 ir::uses_variable(iter.binding, loop->name());
        }))
      loops.push_back(block + "." + loop->name());
  return steps.fuse_all(block, loops, "k");
}

bool sum_over_threads(Steps& steps, std::string const& block, ThreadSum const& sum) {
  std::string all = fused_reduction(steps, block);
  if (all.empty() || !steps.take(fmt::format("k0, k1 = split({}, factor={})", all, sum.threads)) ||
      !share(steps, block, "k1", sum))
    return false;
  if (!sum.tree || sum.threads <= kLastParts) return true;
  return steps.take(fmt::format("k2, k3 = split({}.k1, factor={})", block, kLastParts)) &&
         share(steps, block, "k3", sum);
}

}  // namespace tw::gpu
