#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/buffers.h"
#include "engine/schedule/legality/layout.h"
#include "engine/schedule/legality/nests.h"
#include "engine/schedule/legality/placement.h"

namespace tw {
namespace {

using namespace ir;

constexpr char kVerb[] = "cache_write";

/// No other block stands below the block's outermost loop.
bool alone_in_its_nest(Program const& program, BlockSite const& block) {
  if (block.loops.empty()) return true;
  auto blocks = blocks_of(program.body);
  return std::ranges::count_if(blocks, [&](BlockSite const& site) {
           return is_under(site, block.loops.front()->id);
         }) == 1;
}

std::expected<Proof, Refusal> check(Move const& move) {
  BlockSite const& block = move.blocks[0];
  std::string const& name = block.block->name;
  if (!written_buffer(block))
    return refuse_stage("not_one_tensor", fmt::format("{} does not write one tensor", name),
                        "cache_write: the block writes one tensor");
  if (auto alone = only_writer(move.program, block, kVerb); !alone)
    return std::unexpected(alone.error());
  if (!alone_in_its_nest(move.program, block))
    return refuse_stage("shares_its_nest",
                        fmt::format("other blocks stand in the nest of {}: write to the cache "
                                    "before moving blocks together",
                                    name),
                        "cache_write: the block has its nest to itself");
  if (auto fits = layout_fits(move, *written_buffer(block), kVerb); !fits)
    return std::unexpected(fits.error());
  return Proof{"the copy comes after the last write and before the first read"};
}

Applied apply(Move const& move) {
  Applied applied{move.program, {}, {}};
  Block const& block = *move.blocks[0].block;
  Buffer target = written_buffer(move.blocks[0]);
  BufferNode node = *target;
  node.name = free_tensor_name(move.program, target->name + "_cache");
  if (move.has("scope")) node.scope = move.word("scope");
  auto cache = std::make_shared<BufferNode const>(std::move(node));
  Stmt copy = copy_nest(cache, target, written_shape(move.program, *target), applied.program);
  // The copy takes a name of its own: the block that computes keeps its name in scripts.
  auto const* made = blocks_of(copy).front().block;
  copy = replace_block(copy, made->id,
                       make<Block>(made->id, free_tensor_name(move.program, block.name + "_write"),
                                   made->op, made->iters, Expr(), Stmt(), made->body));
  Stmt body = around_root(move.program.body, block.id, Stmt(), copy);
  body = replace_block(body, block.id, with_buffer(block, target->name, cache, Side::kBoth));
  applied.program.body = make<Alloc>(cache, body);
  if (move.has("layout"))
    applied.program = with_layout(applied.program, cache->name,
                                  *parse_layout(move.word("layout"), cache->shape.size()));
  return applied;
}

}  // namespace

Primitive const& primitive_cache_write() {
  static Primitive const primitive{
      "cache_write",
      "W",
      "Compute into a cache",
      "A block computes into a tensor of its own, which another block then copies to where it was "
      "written before. Moved to a loop (reverse_compute_at) the cache holds one tile.",
      "C[i] = f(i)  -->  C_cache[i] = f(i); C_write: C[i] = C_cache[i]",
      1,
      0,
      {{"scope", "where the cache lives", 0, 0, std::nullopt, true, {"global", "local"}},
       {"layout",
        "the order of the cache's dimensions, as for transform_layout",
        0,
        0,
        std::nullopt,
        true,
        {},
        true}},
      check,
      apply,
      {TargetKind::kBlock}};
  return primitive;
}

}  // namespace tw
