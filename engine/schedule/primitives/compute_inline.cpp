#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/read_coverage.h"
#include "engine/schedule/legality/recurrence.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_compute_inline {
namespace {

using namespace ir;

constexpr char kVerb[] = "compute_inline";

std::vector<BlockSite> consumers_of(StepRequest const& request) {
  return readers_of(request.program, written_buffer(request.blocks[0])->name);
}

/// Puts the producer's expression where its tensor is read.
class Inlining : public Rewriter {
public:
  explicit Inlining(Block const& producer)
      : producer_(producer), store_(producer.body.to<Store>()) {}
  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    if (!read || read->buffer->name != store_.buffer->name) return next;
    return substitute(store_.value, *iterators_at(producer_, read->indices));
  }
  using Rewriter::visit;

private:
  Block const& producer_;
  Store const& store_;
};

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& block = *request.blocks[0].block;
  Stmt body = without_alloc(without_block(request.program.body, block.id),
                            written_buffer(request.blocks[0])->name);
  applied.program.body = Inlining(block).visit(body);
  return applied;
}

/// What the shape of the program says against the move.
std::expected<void, Refusal> shape_refusal(StepRequest const& request,
                                           std::vector<BlockSite> const& consumers) {
  BlockSite const& block = request.blocks[0];
  for (BlockSite const& consumer : consumers)
    if (auto ready = inputs_ready(request.program, block, consumer.loops, {}, kVerb); !ready)
      return ready;
  return inputs_are_kept(request.program, block, kVerb);
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::string const& name = block.block->name;
  if (written_buffer(block) && is_parameter(request.program, written_buffer(block)->name))
    return refuse_stage("writes_an_output",
                        fmt::format("block {} writes {}, an output of the kernel", name,
                                    written_buffer(block)->name),
                        "compute_inline: the block's tensor must only be used inside the kernel");
  std::vector<BlockSite> consumers =
      written_buffer(block) ? consumers_of(request) : std::vector<BlockSite>{};
  std::erase_if(consumers, [&](BlockSite const& r) { return r.block->id == block.block->id; });
  if (consumers.empty())
    return refuse_stage("no_consumer", fmt::format("nothing reads what {} computes", name),
                        "compute_inline: some block must read the tensor");
  if (!is_complete(block))
    return refuse_stage("not_a_complete_block",
                        fmt::format("block {} is a reduction or has an ordered axis, so its value "
                                    "is not a single expression",
                                    name),
                        "compute_inline: the block must compute each element in one step");
  if (!iterators_at(*block.block, block.block->body.to<Store>().indices))
    return refuse_stage(
        "element_hides_its_instance",
        fmt::format("the indices of an element do not determine which instance of {} computes it",
                    name),
        "compute_inline: the indices of an element must determine the iterators that compute it");
  if (auto alone = only_writer(request.program, block, kVerb); !alone)
    return std::unexpected(alone.error());
  for (BlockSite const& consumer : consumers)
    if (auto there = inputs_in_scope(request.program, block, consumer.loops, kVerb); !there)
      return std::unexpected(there.error());
  if (auto made = reads_made_elements(block, consumers, kVerb, request.budget); !made)
    return std::unexpected(made.error());
  if (request.budget == ProofBudget::kTrusted) return Proof();
  Program inlined = apply(request).program;
  if (auto scoped = tensors_in_scope(inlined, kVerb); !scoped)
    return std::unexpected(scoped.error());
  DataflowQuestion question{request.program, inlined, {}, {}, {}};
  for (BlockSite const& consumer : consumers) question.readers.insert(consumer.block->id);
  if (DataflowAnswer flow = check_dataflow(question, request.budget); !flow.holds())
    return refuse_flow(
        flow, shape_refusal(request, consumers),
        "compute_inline: what the block reads must be complete where its tensor is read");
  return Proof{"the readers compute the same expression"};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "compute_inline",
      .key = "I",
      .title = "Compute a block where it is read",
      .doc =
          "Replaces every read of a block's tensor by the block's expression. The tensor is "
          "removed; elements that are read several times are computed several times.",
      .rewrite = "P[i] = f(i); C[i] = P[i] + P[i+1]  -->  C[i] = f(i) + f(i+1)",
      .refused = "cannot be inlined",
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"dependence_carried", "element_hides_its_instance", "input_not_ready",
                  "input_out_of_scope", "instances_added", "instances_lost", "no_consumer",
                  "not_a_complete_block", "not_finished", "order_carried", "reads_unmade",
                  "reduction_carried", "several_writers", "terms_twice", "undecided",
                  "writes_an_output"},
  };
  return primitive;
}

}  // namespace tw::primitive_compute_inline
