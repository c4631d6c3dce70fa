#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/parameters.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/layout.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_cache_read {
namespace {

using namespace ir;

constexpr char kVerb[] = "cache_read";

Applied apply(StepRequest const& request);

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::string const& tensor = request.word("tensor");
  std::vector<std::string> read = read_buffers(*block.block);
  if (std::ranges::find(read, tensor) == read.end())
    return refuse_stage("not_read_there",
                        fmt::format("{} does not read '{}'; it reads {}", block.block->name, tensor,
                                    fmt::join(read, ", ")),
                        "cache_read: the block must read the tensor");
  for (BlockSite const& writer : writers_of(request.program, tensor))
    if (writer.block->id == block.block->id || shared_loops(writer.loops, block.loops) > 0)
      return refuse_stage("written_beside",
                          fmt::format("{} writes {} in the same nest", writer.block->name, tensor),
                          "cache_read: the tensor must be complete before the block's nest begins");
  if (!lives_at_top(request.program, tensor))
    return refuse_stage("input_out_of_scope", fmt::format("{} exists only inside a loop", tensor),
                        "cache_read: the tensor must be complete before the block's nest begins");
  if (auto fits = layout_fits(request, *find_buffer(request.program, tensor), kVerb); !fits)
    return std::unexpected(fits.error());
  if (request.budget == ProofBudget::kTrusted) return Proof();
  Program after = apply(request).program;
  if (auto scoped = tensors_in_scope(after, kVerb); !scoped) return std::unexpected(scoped.error());
  std::string cache = free_tensor_name(request.program, tensor + "_cache");
  if (!come_before(after, writers_of(after, tensor), writers_of(after, cache)))
    return refuse_stage("written_beside",
                        fmt::format("{} is written after the place where it would be copied, which "
                                    "is before all nests beside the one of {}",
                                    tensor, block.block->name),
                        "cache_read: the tensor must be complete before the block's nest begins");
  return Proof{"the copy holds the same values"};
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& block = *request.blocks[0].block;
  Buffer source = find_buffer(request.program, request.word("tensor"));
  BufferNode node = *source;
  node.name = free_tensor_name(request.program, source->name + "_cache");
  node.scope = request.has("scope") ? request.word("scope") : kGlobalScope;
  node.alignments.clear();
  node.map = nullptr;
  auto cache = std::make_shared<BufferNode const>(std::move(node));
  Stmt copy = copy_nest(source, cache, *source, applied.program);
  Stmt body = replace_block(request.program.body, block.id,
                            with_buffer(block, source->name, cache, Side::kReads));
  applied.program.body = make<Alloc>(cache, insert_before(body, copy, {block.id}));
  if (request.has("layout"))
    applied.program = with_layout(applied.program, cache->name,
                                  *parse_layout(request.word("layout"), cache->shape.size()));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "cache_read",
      .key = "K",
      .title = "Read through a cache",
      .doc =
          "Copies a tensor before a block reads it; the block reads the copy. Moved to a loop with "
          "compute_at, the copy holds what one iteration needs; with a layout, the copy is packed.",
      .rewrite = "C[i] = f(A[i])  -->  A_cache[i] = A[i]; C[i] = f(A_cache[i])",
      .parameters = {copied_tensor_parameter(), cache_scope_parameter(), cache_layout_parameter()},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"bad_layout", "input_out_of_scope", "not_one_tensor", "not_read_there",
                  "written_beside"},
  };
  return primitive;
}

}  // namespace tw::primitive_cache_read
