#include "engine/schedule/legality/sharing.h"

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/target/axis_of.h"

namespace tw {

using namespace ir;

namespace {

bool depends_on(Expr const& e, std::string const& variable) {
  return e && uses_variable(e, variable);
}

/// Whether what the block does is told by `variable`, or by what it reads of `telling`.
bool depends_on(BlockSite const& site, std::string const& variable,
                std::set<std::string> const& telling) {
  Block const& block = *site.block;
  bool told = depends_on(block.predicate, variable);
  for (IterVar const& iter : block.iters) told = told || depends_on(iter.binding, variable);
  for (For const* loop : site.loops) told = told || depends_on(loop->extent, variable);
  walk_exprs(block.body, [&](Expr const& e) {
    auto const* read = e.as<Variable>();
    told = told || (read && read->name == variable);
    return !told;
  });
  walk_reads(block, [&](Touched const& at) { told = told || telling.contains(at.buffer->name); });
  return told;
}

}  // namespace

std::set<std::string> replicated_tensors(Target const& target, For const& loop) {
  // Of the tensors below: those still held to be the same in all iterations, and all others.
  std::set<std::string> shared, same, telling;
  ThreadAxis const* axis = axis_of(target, loop);
  if (!axis || axis->level != Level::kThread || axis->interleaved) return shared;
  walk(loop.body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    if (!alloc) return true;
    same.insert(alloc->buffer->name);
    if (!target.instance_per_iteration(loop, *alloc->buffer)) shared.insert(alloc->buffer->name);
    return true;
  });
  std::vector<BlockSite> blocks = blocks_of(loop.body);
  for (BlockSite const& site : blocks)
    walk_writes(site.block->body, [&](Touched const& at) {
      if (!same.contains(at.buffer->name)) telling.insert(at.buffer->name);
    });
  for (bool less = true; less;) {
    less = false;
    for (BlockSite const& site : blocks) {
      if (!depends_on(site, loop.name(), telling)) continue;
      walk_writes(site.block->body, [&](Touched const& at) {
        less = same.erase(at.buffer->name) > 0 || less;
        telling.insert(at.buffer->name);
      });
    }
  }
  std::erase_if(shared, [&](std::string const& tensor) { return !same.contains(tensor); });
  return shared;
}

std::vector<For const*> loops_sharing(Target const& target, std::vector<For const*> const& loops,
                                      BufferNode const& buffer) {
  std::vector<For const*> sharing;
  for (For const* loop : loops)
    if (!target.instance_per_iteration(*loop, buffer)) sharing.push_back(loop);
  return sharing;
}

std::set<std::string> tensors_of_iteration(Target const& target, For const& loop) {
  std::set<std::string> names = replicated_tensors(target, loop);
  walk(loop.body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    if (alloc && target.instance_per_iteration(loop, *alloc->buffer))
      names.insert(alloc->buffer->name);
    return !s.as<Block>();
  });
  return names;
}

std::set<std::string> tensors_of_iteration(Target const& target,
                                           std::vector<LoopSite> const& chain) {
  std::set<std::string> names = tensors_of_iteration(target, *chain.back().loop);
  for (LoopSite const& site : chain) {
    std::set<std::string> here = tensors_of_iteration(target, *site.loop);
    std::erase_if(names, [&](std::string const& name) { return !here.contains(name); });
  }
  return names;
}

}  // namespace tw
