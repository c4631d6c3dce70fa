#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/instances.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_reverse_compute_inline {
namespace {

using namespace ir;

constexpr char kVerb[] = "reverse_compute_inline";
constexpr char kCondition[] =
    "reverse_compute_inline: the block must read one tensor of one complete block, each element of "
    "it or of a box in it once, and nothing else may read that tensor";

/// The tensor that is to disappear: made by a complete block, not a parameter.
std::optional<BlockSite> producer_of(StepRequest const& request) {
  std::optional<BlockSite> found;
  for (std::string const& buffer : read_buffers(*request.blocks[0].block)) {
    std::vector<BlockSite> writers = writers_of(request.program, buffer);
    if (is_parameter(request.program, buffer) || writers.empty()) continue;
    if (found || writers.size() != 1) return std::nullopt;
    found = writers.front();
  }
  return found;
}

/// Every read of the tensor is at the same, different iterators of the block, one per dimension.
bool reads_each_once(Block const& block, std::string const& tensor) {
  std::optional<std::vector<Expr>> first;
  bool good = true;
  walk_exprs(block.body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name != tensor) return true;
    if (!first) first = read->indices;
    for (size_t d = 0; d < read->indices.size(); ++d)
      good = good && equal(read->indices[d], (*first)[d]);
    return true;
  });
  std::set<std::string> used;
  for (size_t d = 0; good && d < first->size(); ++d) {
    auto const* v = (*first)[d].as<Variable>();
    good = v && used.insert(v->name).second;
  }
  // All other iterators count to one.
  for (IterVar const& iter : block.iters)
    good = good && (used.contains(iter.name()) || is_int(iter.extent, 1));
  return good;
}

/// The values that an index takes over the block's instances; nothing where that is not known.
std::optional<arith::Interval> values_of(BlockSite const& site, Expr const& index) {
  std::vector<arith::Interval> domains = domains_of(site);
  arith::Ranges ranges;
  for (size_t i = 0; i < domains.size(); ++i) ranges.set(site.block->iters[i].name(), domains[i]);
  return arith::bounds(index, ranges);
}

/// The block is run for all values of its iterators' domains.
bool runs_its_domains(BlockSite const& site, ProofBudget budget) {
  std::vector<arith::Interval> domains = domains_of(site);
  bool whole = true;
  for (size_t i = 0; i < domains.size(); ++i)
    whole = whole &&
            domains[i] == arith::Interval{0, as_int(site.block->iters[i].extent).value_or(0) - 1};
  return whole || runs_all_of(site, domains, budget);
}

int64_t instances_of(BlockSite const& site) {
  int64_t count = 1;
  for (arith::Interval const& domain : domains_of(site)) count *= domain.high - domain.low + 1;
  return count;
}

int64_t count_of(arith::Interval const& values) { return values.high - values.low + 1; }

/// What a block reads of the values of an index that its producer writes.
struct Part {
  Expr index;  ///< over the producer's iterators
  arith::Interval read, made;
};

/// Of each dimension. Nothing: the block reads what the producer does not write (a padded tensor
/// has elements that no block writes), or they are no boxes. (Both count each element once.)
std::optional<std::vector<Part>> parts_read(BlockSite const& block, BlockSite const& producer,
                                            ProofBudget budget) {
  if (!runs_its_domains(block, budget) || !runs_its_domains(producer, budget)) return std::nullopt;
  auto const* made = producer.block->body.as<Store>();
  std::vector<Part> parts;
  bool inside = true;
  walk_exprs(block.block->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name != made->buffer->name || !parts.empty()) return inside;
    for (size_t d = 0; inside && d < read->indices.size(); ++d) {
      auto reads = values_of(block, read->indices[d]),
           makes = values_of(producer, made->indices[d]);
      inside = reads && makes && makes->low <= reads->low && reads->high <= makes->high;
      if (inside) parts.push_back({made->indices[d], *reads, *makes});
    }
    return inside;
  });
  int64_t read = 1, written = 1;
  for (Part const& part : parts) {
    read *= count_of(part.read);
    written *= count_of(part.made);
  }
  if (!inside || read != instances_of(block) || written != instances_of(producer))
    return std::nullopt;
  return parts;
}

bool is_whole(std::vector<Part> const& parts) {
  return std::ranges::all_of(parts, [](Part const& part) { return part.read == part.made; });
}

/// The producer's predicate, and that its element is one that is read.
Expr guarded(Block const& producer, std::vector<Part> const& parts) {
  Substitution bindings;
  for (IterVar const& iter : producer.iters) bindings[iter.name()] = iter.binding;
  Expr all = producer.predicate;
  auto add = [&](Expr const& test) { all = all ? all && test : test; };
  for (Part const& part : parts) {
    Expr index = arith::simplify(substitute(part.index, bindings));
    if (part.read.low > part.made.low) add(int_imm(part.read.low) <= index);
    if (part.read.high < part.made.high) add(index < int_imm(part.read.high + 1));
  }
  return all;
}

/// The producer's block with the consumer's expression around its own.
Stmt joined(Block const& producer, Block const& consumer) {
  auto const* made = producer.body.as<Store>();
  auto const* used = consumer.body.as<Store>();
  Substitution by;
  for (IterVar const& iter : consumer.iters) by[iter.name()] = int_imm(0);
  walk_exprs(consumer.body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name != made->buffer->name) return true;
    for (size_t d = 0; d < read->indices.size(); ++d)
      by[read->indices[d].to<Variable>().name] = made->indices[d];
    return true;
  });
  struct Putting : Rewriter {
    Store const* made;
    explicit Putting(Store const* m) : made(m) {}
    using Rewriter::visit;
    Expr visit(Expr const& e) override {
      auto const* read = e.as<Load>();
      return read && read->buffer->name == made->buffer->name ? made->value : rebuild(e);
    }
  };
  // First the consumer's iterators, then the producer's expression: both may use the same names.
  Expr value = Putting(made).visit(substitute(used->value, by));
  // In their simplest form they show that each instance has an element of its own.
  std::vector<Expr> indices;
  for (Expr const& index : used->indices)
    indices.push_back(arith::simplify(substitute(index, by), iterator_ranges(producer)));
  return make<Store>(used->buffer, indices, value);
}

/// The tensor in the place of another one, which nobody uses any more.
Stmt in_place_of(Stmt const& body, std::string const& gone, Buffer const& tensor) {
  return rewrite_stmts(body, [&](Stmt const& s) -> Stmt {
    auto const* alloc = s.as<Alloc>();
    if (!alloc || alloc->buffer->name != gone) return {};
    return make_from<Alloc>(alloc->origin, tensor, alloc->body);
  });
}

/// Whether the tensor's place, if it has one, is around the block.
bool reaches(Stmt const& body, std::string const& tensor, BlockId block) {
  bool reached = true;
  rewrite_stmts(body, [&](Stmt const& s) -> Stmt {
    auto const* alloc = s.as<Alloc>();
    if (alloc && alloc->buffer->name == tensor)
      reached = std::ranges::any_of(blocks_of(alloc->body),
                                    [&](BlockSite const& site) { return site.block->id == block; });
    return {};
  });
  return reached;
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& consumer = *request.blocks[0].block;
  BlockSite site = *producer_of(request);
  Block const& producer = *site.block;
  std::string tensor = written_buffer(site)->name;
  // A padded tensor may have had room for more than the block runs.
  std::vector<IterVar> iters = producer.iters;
  std::vector<arith::Interval> domains = domains_of(site);
  for (size_t i = 0; i < iters.size(); ++i) iters[i].extent = int_imm(domains[i].high + 1);
  auto parts = parts_read(request.blocks[0], site, request.budget);
  for (Part const& part : parts.value_or(std::vector<Part>()))
    for (IterVar& iter : iters)
      if (equal(part.index, iter.var)) iter.extent = int_imm(part.read.high + 1);
  Expr predicate = parts ? guarded(producer, *parts) : producer.predicate;
  Stmt merged =
      make_from<Block>(producer.origin, producer.id, producer.name, producer.op, std::move(iters),
                       std::move(predicate), Stmt(), joined(producer, consumer));
  Stmt body = replace_block(without_block(request.program.body, consumer.id), producer.id, merged);
  Buffer made = written_buffer(request.blocks[0]);
  applied.program.body =
      reaches(body, made->name, producer.id)
          ? without_alloc(body, tensor)
          : in_place_of(without_alloc(body, made->name), tensor, made);  // it begins earlier now
  return applied;
}

/// What the shape of the program says against the move.
std::expected<void, Refusal> shape_refusal(StepRequest const& request, BlockSite const& producer,
                                           std::string const& tensor) {
  BlockSite const& block = request.blocks[0];
  if (auto ready = inputs_ready(request.program, block, producer.loops, {tensor}, kVerb); !ready)
    return ready;
  auto here = [&](BlockSite const& site) { return site.block->id == producer.block->id; };
  return inputs_precede(request.program, block, here, {tensor}, kVerb);
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::string const& name = block.block->name;
  auto no = [&](std::string code, std::string message) {
    return refuse_stage(std::move(code), std::move(message), kCondition);
  };
  bool reads_made = std::ranges::any_of(read_buffers(*block.block), [&](std::string const& tensor) {
    std::vector<BlockSite> writers = writers_of(request.program, tensor);
    std::erase_if(writers, [&](BlockSite const& w) { return w.block->id == block.block->id; });
    return !writers.empty();
  });
  if (!reads_made)
    return no("no_producer", fmt::format("{} reads nothing that another block computes", name));
  if (!is_complete(block))
    return no("not_a_complete_block",
              fmt::format("block {} is a reduction or has an ordered axis", name));
  auto producer = producer_of(request);
  if (!producer)
    return no("no_single_producer",
              fmt::format("{} does not read exactly one tensor of one other block", name));
  if (!is_complete(*producer))
    return no("producer_not_complete",
              fmt::format("block {} is a reduction or has an ordered axis: use reverse_compute_at",
                          producer->block->name));
  std::string tensor = written_buffer(*producer)->name;
  if (readers_of(request.program, tensor).size() != 1)
    return no("several_readers", fmt::format("{} is also read by other blocks", tensor));
  auto parts = reads_each_once(*block.block, tensor) ? parts_read(block, *producer, request.budget)
                                                     : std::nullopt;
  if (!parts)
    return no(
        "reads_elsewhere",
        fmt::format("{} does not read each element of {} once, or a box of them", name, tensor));
  if (auto alone = only_writer(request.program, block, kVerb);
      !alone && !writes_apart(request.program, block, request.budget))
    return std::unexpected(alone.error());
  if (auto there = inputs_in_scope(request.program, block, producer->loops, kVerb); !there)
    return std::unexpected(there.error());
  Program merged = apply(request).program;
  if (auto scoped = tensors_in_scope(merged, kVerb); !scoped)
    return std::unexpected(scoped.error());
  BlockId id = producer->block->id;
  DataflowQuestion question{request.program, merged, {id}, {written_buffer(block)->name}, {}};
  // Else its condition leaves out the instances whose elements are not read.
  if (is_whole(*parts)) question.whole = {id};
  std::vector<std::string> const read = read_buffers(*block.block);
  for (std::string const& own : read_buffers(*producer->block))
    if (std::ranges::find(read, own) == read.end()) question.kept.insert(own);
  if (DataflowAnswer flow = check_dataflow(question, request.budget); !flow.holds())
    return refuse_flow(flow, shape_refusal(request, *producer, tensor), kCondition);
  if (!producer->loops.empty())
    if (auto holds = annotations_hold(merged, request.target, producer->loops.back()->id, kVerb,
                                      request.budget);
        !holds)
      return std::unexpected(holds.error());
  return Proof{"the producer computes the same elements"};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "reverse_compute_inline",
      .key = "E",
      .title = "Compute a block in its producer",
      .doc =
          "Merges a block's expression into the block whose tensor it reads; that tensor is "
          "removed. What is made and not read is left out by a condition.",
      .rewrite = "P[i] = f(i); C[i] = g(P[i])  -->  C[i] = g(f(i)) in P's nest",
      .refused = "cannot be inlined",
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"dependence_carried", "input_comes_later", "input_not_ready",
                  "input_out_of_scope", "instances_added", "instances_lost", "no_producer",
                  "no_single_producer", "not_a_complete_block", "not_finished", "order_carried",
                  "producer_not_complete", "reads_elsewhere", "reduction_carried",
                  "several_readers", "several_writers", "terms_twice", "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_reverse_compute_inline
