#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"
#include "engine/schedule/rewriting/reindexing.h"

namespace tw::primitive_reindex {
namespace {

using namespace ir;

constexpr char kVerb[] = "reindex";

constexpr char kComplete[] = "reindex: the tensor must be complete before the block's nest begins";
constexpr char kOneValue[] =
    "reindex: the block uses one element of the tensor in an instance, and its iterators say which";

Applied apply(StepRequest const& request);

std::string const& tensor_of(StepRequest const& request) { return request.word("tensor"); }

bool is_written(StepRequest const& request) {
  for (BlockSite const& writer : writers_of(request.program, tensor_of(request)))
    if (writer.block->id == request.blocks[0].block->id) return true;
  return false;
}

/// The block's iterators that index the new tensor, by their places; nothing: the list is none.
std::optional<std::vector<size_t>> dimensions_of(StepRequest const& request, Reindexed const& use) {
  if (!request.has("dims")) return use.iterators;
  std::vector<size_t> dims;
  for (int64_t place : request.numbers("dims")) {
    if (place < 0 || place >= int64_t(request.blocks[0].block->iters.size())) return std::nullopt;
    dims.push_back(size_t(place));
  }
  std::vector<size_t> sorted = dims;
  std::ranges::sort(sorted);
  return sorted == use.iterators ? std::optional(dims) : std::nullopt;
}

std::expected<void, Refusal> has_extents(Block const& block) {
  for (IterVar const& iter : block.iters)
    if (!as_int(iter.extent))
      return refuse_stage(
          "extent_unknown",
          fmt::format("the extent of {} is not known before the kernel runs", iter.name()),
          "reindex: the extents of the block's iterators must be constants");
  return {};
}

/// A copy writes what the block has written, and reads nothing that the program did not.
std::expected<void, Refusal> copies_no_more(StepRequest const& request, Reindexed const& use,
                                            bool written) {
  BlockSite const& site = request.blocks[0];
  bool exists = !written && always_exists(*site.block, use.value);
  if (exists || (use.always && runs_whole(site, request.budget))) return {};
  return refuse_stage(
      "guarded_block",
      use.always
          ? fmt::format("{} does not run for all values of its iterators", site.block->name)
          : fmt::format("{} reads {} under a condition", site.block->name, tensor_of(request)),
      "reindex: the block uses the tensor for all values of its iterators");
}

std::expected<Proof, Refusal> check_written(StepRequest const& request, Reindexed const& use,
                                            Program const& after) {
  BlockSite const& block = request.blocks[0];
  std::string const& tensor = tensor_of(request);
  if (auto alone = only_writer(request.program, block, kVerb); !alone)
    return std::unexpected(alone.error());
  for (size_t place : use.iterators)
    if (block.block->iters[place].kind != IterKind::kSpatial)
      return refuse_stage(
          "reads_differ",
          fmt::format("{} writes elements of {} by an axis that has an order or is a sum's",
                      block.block->name, tensor),
          kOneValue);
  BlockSite const copy = writers_of(after, tensor).front();
  if (!is_complete(copy))
    return refuse_stage(
        "not_one_to_one",
        fmt::format("two instances of {} may write one element of {}", block.block->name, tensor),
        "reindex: of a tensor that the block writes, each element has an instance");
  if (auto scoped = tensors_in_scope(after, kVerb); !scoped) return std::unexpected(scoped.error());
  if (!come_before(after, {copy}, readers_of(after, tensor)))
    return refuse_stage("read_in_its_nest",
                        fmt::format("{} is read in the nest of {}", tensor, block.block->name),
                        "reindex: a tensor that the block writes is read after its nest");
  return Proof{"each element is copied from where its instance has put it"};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::string const &tensor = tensor_of(request), &name = block.block->name;
  bool written = is_written(request);
  std::vector<std::string> read = read_buffers(*block.block);
  if (!written && std::ranges::find(read, tensor) == read.end())
    return refuse_stage(
        "not_read_there",
        fmt::format("{} does not use '{}'; it reads {}", name, tensor, fmt::join(read, ", ")),
        "reindex: the block must read or write the tensor");
  if (auto known = has_extents(*block.block); !known) return std::unexpected(known.error());
  auto use = reindexed(*block.block, tensor, written);
  if (!use)
    return refuse_stage(
        "reads_differ",
        fmt::format("{} uses {} at several places, or at one that data choose", name, tensor),
        kOneValue);
  if (!dimensions_of(request, *use))
    return refuse_stage(
        "bad_dims",
        fmt::format("\"{}\" is no order of the iterators that choose elements of {}: they are {}",
                    fmt::join(request.numbers("dims"), ","), tensor,
                    fmt::join(use->iterators, ", ")),
        "reindex: dims has each iterator by which the tensor is indexed once, counted from 0");
  if (!written && !lives_at_top(request.program, tensor))
    return refuse_stage("input_out_of_scope", fmt::format("{} exists only inside a loop", tensor),
                        kComplete);
  if (auto same = copies_no_more(request, *use, written); !same)
    return std::unexpected(same.error());
  Program after = apply(request).program;
  if (written) return check_written(request, *use, after);
  if (auto scoped = tensors_in_scope(after, kVerb); !scoped) return std::unexpected(scoped.error());
  BlockSite const copy = writers_of(after, reindexed_name(request.program, tensor)).front();
  if (!come_before(after, writers_of(after, tensor), {copy}))
    return refuse_stage("written_beside",
                        fmt::format("{} is written in the nest of {}, or after it", tensor, name),
                        kComplete);
  return Proof{"the copy has for each instance what it read"};
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& block = *request.blocks[0].block;
  std::string const& tensor = tensor_of(request);
  bool written = is_written(request);
  Reindexed use = *reindexed(block, tensor, written);
  use.iterators = *dimensions_of(request, use);
  Buffer source = find_buffer(request.program, tensor);
  Buffer made = reindexed_buffer(request.program, block, *source, use);
  Program& program = applied.program;
  program.body = replace_block(program.body, block.id, with_reindexed(block, use, made));
  Stmt copy = written ? write_nest(block, use, made, source, program)
                      : read_nest(block, use, made, program);
  program.body = make<Alloc>(made, written ? insert_after(program.body, copy, {block.id})
                                           : insert_before(program.body, copy, {block.id}));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "reindex",
      .key = "Shift+R",
      .title = "Index a tensor by a block's iterators",
      .doc =
          "Copies what a block reads of a tensor to a new one, which the block's own iterators "
          "index; of a tensor that the block writes, it writes the new one, which is then copied. "
          "A condition under which the block reads the tensor, and a number otherwise, goes into "
          "the copy. A convolution whose loops were fused to places, channels and terms becomes a "
          "matrix product in this way; with compute_at, the copy never exists as a whole.",
      .rewrite =
          "Y[i] += X[i + k] * W[k]  -- tensor=X -->  X_reindex[i, k] = X[i + k]; Y[i] += "
          "X_reindex[i, k] * W[k]",
      .parameters = {{.name = "tensor",
                      .doc = "the tensor that the block reads or writes",
                      .low = 0,
                      .high = 0,
                      .word = true},
                     {.name = "dims",
                      .doc = "the block's iterators that are the new tensor's dimensions, counted "
                             "from 0, in their order; those by which the tensor is indexed",
                      .low = 0,
                      .high = 0,
                      .optional = true,
                      .list = true}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"bad_dims", "extent_unknown", "guarded_block", "input_out_of_scope",
                  "not_one_to_one", "not_read_there", "read_in_its_nest", "reads_differ",
                  "several_writers", "written_beside"},
  };
  return primitive;
}

}  // namespace tw::primitive_reindex
