#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/parameters.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/layout.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_cache_write {
namespace {

using namespace ir;

constexpr char kVerb[] = "cache_write";

/// Nothing else needs the tensor before the nests of all that write it have ended.
bool read_after_its_nests(Program const& program, std::vector<BlockSite> const& writers) {
  std::string const& tensor = written_buffer(writers[0])->name;
  if (!is_parameter(program, tensor) && !lives_at_top(program, tensor)) return false;
  std::vector<BlockSite> blocks = blocks_of(program.body), readers = readers_of(program, tensor);
  auto place_of = [&](BlockSite const& site) {
    return std::ranges::find(blocks, site.block->id, [](auto const& b) { return b.block->id; });
  };
  return std::ranges::none_of(readers, [&](BlockSite const& reader) {
    auto same = [&](BlockSite const& writer) { return writer.block->id == reader.block->id; };
    if (std::ranges::any_of(writers, same)) return false;
    return std::ranges::any_of(writers, [&](BlockSite const& writer) {
      return shared_loops(reader.loops, writer.loops) > 0 || place_of(reader) < place_of(writer);
    });
  });
}

Applied apply(StepRequest const& request);

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::string const& name = block.block->name;
  if (!written_buffer(block))
    return refuse_stage("not_one_tensor", fmt::format("{} does not write one tensor", name),
                        "cache_write: the block must write one tensor");
  std::vector<BlockSite> writers = writers_of(request.program, written_buffer(block)->name);
  for (BlockSite const& writer : writers)
    if (!written_buffer(writer))
      return refuse_stage("not_one_tensor",
                          fmt::format("{} does not write one tensor", writer.block->name),
                          "cache_write: every block that writes the tensor must write only it");
  if (!read_after_its_nests(request.program, writers))
    return refuse_stage("read_in_its_nest",
                        fmt::format("what {} writes is needed before its nest ends: apply "
                                    "cache_write before moving blocks together",
                                    name),
                        "cache_write: the block's tensor may only be read after its nest");
  if (auto fits = layout_fits(request, *written_buffer(block), kVerb); !fits)
    return std::unexpected(fits.error());
  Program after = apply(request).program;
  if (auto scoped = tensors_in_scope(after, kVerb); !scoped) return std::unexpected(scoped.error());
  std::string const& tensor = written_buffer(block)->name;
  if (!come_before(after, writers_of(after, tensor), readers_of(after, tensor)))
    return refuse_stage(
        "read_in_its_nest",
        fmt::format("{} is read before the nests beside the one of {} end", tensor, name),
        "cache_write: the block's tensor may only be read after its nest");
  return Proof{"the copy comes after the last write and before the first read"};
}

std::optional<Layout> layout_of(StepRequest const& request, BufferNode const& cache) {
  if (!request.has("layout")) return std::nullopt;
  return *parse_layout(request.word("layout"), cache.shape.size());
}

/// Some dimension is cut into blocks, and no block is filled in part.
bool cuts_evenly(Layout const& layout, BufferNode const& plain) {
  auto shape = constant_shape(plain);
  bool has_blocks = false;
  for (Layout::Part const& part : layout.parts(plain.shape.size()))
    has_blocks = has_blocks || part.block > 0;
  return has_blocks && shape && *element_count(layout.stored(*shape)) == *element_count(*shape);
}

/// The copy takes a name of its own: the block that computes keeps its name in scripts.
Stmt named_copy(StepRequest const& request, Stmt const& copy) {
  auto const* made = blocks_of(copy).front().block;
  std::string name = free_tensor_name(request.program, request.blocks[0].block->name + "_write");
  return replace_block(
      copy, made->id,
      make<Block>(made->id, name, made->op, made->iters, Expr(), Stmt(), made->body));
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Buffer target = written_buffer(request.blocks[0]);
  BufferNode node = *target;
  node.name = free_tensor_name(request.program, target->name + "_cache");
  if (request.has("scope")) node.scope = request.word("scope");
  node.alignments.clear();
  node.map = nullptr;
  auto cache = std::make_shared<BufferNode const>(std::move(node));
  std::vector<BlockSite> writers = writers_of(request.program, target->name);
  std::vector<BlockId> ids;
  for (BlockSite const& writer : writers) ids.push_back(writer.block->id);
  auto layout = layout_of(request, *cache);
  bool in_blocks = layout && cuts_evenly(*layout, *cache);
  Stmt body = request.program.body;
  if (!in_blocks)
    body = insert_after(
        body, named_copy(request, copy_nest(cache, target, *target, applied.program)), ids);
  for (BlockSite const& writer : writers)
    body = replace_block(body, writer.block->id,
                         with_buffer(*writer.block, target->name, cache, Side::kBoth));
  applied.program.body = make<Alloc>(cache, body);
  if (layout) applied.program = with_layout(applied.program, cache->name, *layout);
  if (in_blocks) {
    Stmt copy = blocked_copy_nest(find_buffer(applied.program, cache->name), target, *layout,
                                  applied.program);
    applied.program.body = insert_after(applied.program.body, named_copy(request, copy), ids);
  }
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "cache_write",
      .key = "W",
      .title = "Compute into a cache",
      .doc =
          "A block computes into a new tensor, which another block then copies to the original "
          "one. Moved to a loop with reverse_compute_at, the cache holds one tile. Other blocks "
          "that write the tensor compute into the cache, too. With a layout that cuts dimensions "
          "into blocks, the copy has a loop for each of the cache's dimensions: a loop may then "
          "complete a tile whose elements lie apart.",
      .rewrite = "C[i] = f(i)  -->  C_cache[i] = f(i); C_write: C[i] = C_cache[i]",
      .parameters = {cache_scope_parameter(), cache_layout_parameter()},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"bad_layout", "input_out_of_scope", "not_one_tensor", "read_in_its_nest"},
  };
  return primitive;
}

}  // namespace tw::primitive_cache_write
