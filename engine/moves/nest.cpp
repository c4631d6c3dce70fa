#include "engine/moves/nest.h"

#include <algorithm>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/names.h"

namespace tw::moves {
namespace {

using namespace ir;

bool side_by_side(analysis::TensorAccess const& access, std::string const& loop) {
  if (access.indices.empty()) return false;
  for (size_t d = 0; d + 1 < access.indices.size(); ++d)
    if (uses_variable(access.indices[d], loop)) return false;
  return arith::to_linear(access.indices.back()).factor_of(loop) == 1;
}

bool is_reduced(Block const& block, std::string const& loop) {
  return std::ranges::any_of(block.iters, [&](IterVar const& iter) {
    return iter.kind == IterKind::kReduce && uses_variable(iter.binding, loop);
  });
}

std::optional<BlockNest> nest_of(Program const& program, BlockSite const& site) {
  if (site.block->body.as<IntrinsicCall>()) return {};
  BlockNest nest{.block = site.block->name,
                 .loops = {},
                 .sums = false,
                 .writes = {},
                 .reads = {},
                 .accesses = {}};
  nest.sums = std::ranges::any_of(
      site.block->iters, [](IterVar const& iter) { return iter.kind == IterKind::kReduce; });
  std::vector<analysis::TensorAccess> accesses = analysis::accesses_of(site);
  for (analysis::TensorAccess const& one : accesses) {
    if (one.writes) nest.writes = one.buffer->name;
    bool known = std::ranges::find(nest.reads, one.buffer->name) != nest.reads.end();
    if (!one.writes && !one.update && !known) nest.reads.push_back(one.buffer->name);
  }
  for (For const* loop : site.loops) {
    auto extent = as_int(loop->extent);
    if (!extent) return {};
    NestLoop one{loop->id, reference_of(program, loop->id), loop->name(), *extent, loop->loop_kind};
    one.reduces = is_reduced(*site.block, loop->name());
    for (analysis::TensorAccess const& access : accesses)
      if ((access.writes || !access.update) && side_by_side(access, loop->name()))
        (access.writes ? one.writes_neighbours : one.reads_neighbours) = true;
    one.alone = blocks_of(loop->body).size() == 1;
    nest.loops.push_back(std::move(one));
  }
  nest.accesses = std::move(accesses);
  return nest;
}

}  // namespace

bool BlockNest::marked() const {
  return std::ranges::any_of(loops, [](NestLoop const& loop) {
    return loop.kind != LoopKind::kSerial && loop.kind != LoopKind::kParallel;
  });
}

std::vector<LoopId> BlockNest::ids() const {
  std::vector<LoopId> all;
  for (NestLoop const& loop : loops) all.push_back(loop.id);
  return all;
}

std::string added_block(Program const& before, Program const& after) {
  std::set<std::string> known;
  for (BlockSite const& site : blocks_of(before.body)) known.insert(site.block->name);
  for (BlockSite const& site : blocks_of(after.body))
    if (!known.contains(site.block->name)) return site.block->name;
  return {};
}

std::optional<BlockNest> nest_of(Program const& program, std::string const& block) {
  for (BlockSite const& site : blocks_of(program.body))
    if (site.block->name == block) return nest_of(program, site);
  return {};
}

std::vector<BlockNest> nests_of(Program const& program) {
  std::vector<BlockNest> nests;
  for (BlockSite const& site : blocks_of(program.body))
    if (auto nest = nest_of(program, site)) nests.push_back(*std::move(nest));
  return nests;
}

}  // namespace tw::moves
