#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/dataflow_check.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/region.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/parameters.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/layout.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_cache_read {
namespace {

using namespace ir;

constexpr char kVerb[] = "cache_read";

constexpr char kComplete[] =
    "cache_read: the tensor must be complete before the block's nest begins";
constexpr char kMade[] =
    "cache_read: each iteration of the loops around the block and what writes the tensor must have "
    "made what the block reads";

Applied apply(StepRequest const& request);

std::string cache_name(StepRequest const& request) {
  return free_tensor_name(request.program, request.word("tensor") + "_cache");
}

/// The loops around the block and all that writes the tensor; none where it is complete before the
/// block's nest.
std::vector<For const*> loops_of_both(StepRequest const& request) {
  std::vector<For const*> loops = request.blocks[0].loops;
  std::vector<BlockSite> writers = writers_of(request.program, request.word("tensor"));
  if (writers.empty()) return {};
  for (BlockSite const& writer : writers)
    loops.resize(std::min(loops.size(), shared_loops(writer.loops, loops)));
  return loops;
}

/// Of a tensor that is made in the loops around the block.
std::expected<Proof, Refusal> check_beside(StepRequest const& request, For const& place) {
  if (auto fits = place_takes_nests(request.program, site_of(request.program, place.id), kVerb);
      !fits)
    return std::unexpected(fits.error());
  if (request.budget == ProofBudget::kTrusted) return Proof();
  Program after = apply(request).program;
  if (auto scoped = tensors_in_scope(after, kVerb); !scoped) return std::unexpected(scoped.error());
  std::string cache = cache_name(request);
  BlockId copy = writers_of(after, cache).front().block->id;
  if (DataflowAnswer flow =
          check_dataflow({request.program, after, {copy}, {cache}, {}}, request.budget);
      !flow.holds())
    return refuse_flow(flow, {}, kMade);
  if (auto holds = annotations_hold(after, request.target, place.id, kVerb, request.budget); !holds)
    return std::unexpected(holds.error());
  return Proof{"the copy holds the same values: each iteration has made them before"};
}

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
    if (writer.block->id == block.block->id)
      return refuse_stage("written_beside",
                          fmt::format("{} writes {} in the same nest", block.block->name, tensor),
                          kComplete);
  if (auto fits = layout_fits(request, *find_buffer(request.program, tensor), kVerb); !fits)
    return std::unexpected(fits.error());
  if (auto loops = loops_of_both(request); !loops.empty())
    return check_beside(request, *loops.back());
  if (!lives_at_top(request.program, tensor))
    return refuse_stage("input_out_of_scope", fmt::format("{} exists only inside a loop", tensor),
                        kComplete);
  if (request.budget == ProofBudget::kTrusted) return Proof();
  Program after = apply(request).program;
  if (auto scoped = tensors_in_scope(after, kVerb); !scoped) return std::unexpected(scoped.error());
  if (!come_before(after, writers_of(after, tensor), writers_of(after, cache_name(request))))
    return refuse_stage("written_beside",
                        fmt::format("{} is written after the place where it would be copied, which "
                                    "is before all nests beside the one of {}",
                                    tensor, block.block->name),
                        kComplete);
  return Proof{"the copy holds the same values"};
}

Buffer cache_of(StepRequest const& request, BufferNode node) {
  node.name = cache_name(request);
  node.scope = request.has("scope") ? request.word("scope") : kGlobalScope;
  node.alignments.clear();
  node.map = nullptr;
  return std::make_shared<BufferNode const>(std::move(node));
}

/// With the copy of what the block reads in one iteration of the innermost of `loops`.
void copy_beside(StepRequest const& request, Program& program, Buffer const& source,
                 Buffer const& cache, std::vector<For const*> const& loops) {
  BlockSite const& block = request.blocks[0];
  Longer longer = program.sizes.empty() ? Longer::kCut : Longer::kKept;
  std::vector<Span> box = box_of({block}, *source, loops.size(), false,
                                 loops_sharing(request.target, loops, *cache), longer);
  LoopId place = loops.back()->id;
  Stmt body = site_of(program, place).loop->body;
  std::vector<std::string> taken;
  for (LoopSite const& below : loops_of(body)) taken.push_back(below.loop->name());
  Stmt whole = copy_nest(source, cache, *source, program);
  BlockSite const copy = blocks_of(whole).front();
  Stmt nest = nest_over(*copy.block, box, loops, std::move(taken), program, domains_of(copy));
  set_loop_body(program, place, make<Alloc>(cache, insert_before(body, nest, {block.block->id})));
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& block = *request.blocks[0].block;
  Buffer source = find_buffer(request.program, request.word("tensor"));
  Buffer cache = cache_of(request, *source);
  Program& program = applied.program;
  program.body =
      replace_block(program.body, block.id, with_buffer(block, source->name, cache, Side::kReads));
  if (auto loops = loops_of_both(request); !loops.empty()) {
    copy_beside(request, program, source, cache, loops);
  } else {
    Stmt copy = copy_nest(source, cache, *source, program);
    program.body = make<Alloc>(cache, insert_before(program.body, copy, {block.id}));
  }
  if (request.has("layout"))
    program = with_layout(program, cache->name,
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
          "compute_at, the copy holds what one iteration needs; with a layout, the copy is packed. "
          "Of a tensor that loops around the block make part by part, each iteration copies what "
          "the block reads in it.",
      .rewrite = "C[i] = f(A[i])  -->  A_cache[i] = A[i]; C[i] = f(A_cache[i])",
      .parameters = {copied_tensor_parameter(), cache_scope_parameter(), cache_layout_parameter()},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .beside_calls = true,
      .refuses = {"bad_layout", "dependence_carried", "extent_unknown", "input_out_of_scope",
                  "not_finished", "not_one_tensor", "not_only_blocks", "not_read_there",
                  "opaque_block", "order_carried", "place_is_vector", "reduction_carried",
                  "undecided", "written_beside"},
  };
  return primitive;
}

}  // namespace tw::primitive_cache_read
