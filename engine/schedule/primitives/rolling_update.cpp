#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/dataflow_check.h"
#include "engine/schedule/legality/instances.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/rolling_form.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_rolling_update {
namespace {

using namespace ir;

constexpr char kVerb[] = "rolling_update";
constexpr char kCondition[] =
    "rolling_update: each iteration finds the maximum so far of the rows that it uses, and the "
    "sums so far are corrected once";

/// The loops are statements of one sequence, one right after the other.
bool are_neighbours(Stmt const& body, std::vector<LoopSite> const& loops) {
  bool found = false;
  walk(body, [&](Stmt const& s) {
    auto const* list = s.as<Seq>();
    for (size_t i = 0; list && !found && i + loops.size() <= list->stmts.size(); ++i) {
      found = true;
      for (size_t k = 0; k < loops.size(); ++k) {
        auto const* loop = list->stmts[i + k].as<For>();
        found = found && loop && loop->id == loops[k].loop->id;
      }
    }
    return !found;
  });
  return found;
}

/// The program without the allocations of powers, which are to live in an iteration.
Stmt without_powers(RollingForm const& form, Stmt body) {
  for (RollingPart const& part : form.parts)
    if (part.of_iteration()) body = without_alloc(body, part.nest.store().buffer->name);
  return body;
}

/// Makes the loop that takes the place of all.
class Fusion {
public:
  Fusion(StepRequest const& request, RollingForm const& form)
      : request_(request), form_(form), program_(request.program) {
    std::set<std::string> taken;
    for (LoopSite const& site : request.loops)
      for (LoopSite const& inner : loops_of(site.loop->body)) taken.insert(inner.loop->name());
    For const& first = *request.loops[0].loop;
    name_ = made_name(request, 0, first.name());
    for (int i = 2; request.step.gives.empty() && taken.contains(name_); ++i)
      name_ = fmt::format("{}_{}", first.name(), i);
    counter_ = var(name_);
    before_ = of_rows("_before", false), now_ = of_rows("_now"), scale_ = of_rows("_scale");
  }

  Applied applied() {
    For const& first = *request_.loops[0].loop;
    Stmt body = iteration();
    LoopId id = program_.fresh_loop();
    Stmt loop = make_from<For>(first.origin, id, counter_, first.extent, LoopKind::kSerial, body);
    std::vector<Stmt> all{loop};
    for (RollingPart const& part : form_.parts)
      if (!part.last.empty()) all.push_back(last_factors(part));
    Applied applied{std::move(program_), {}, {id}};
    Stmt rest = without_powers(form_, request_.program.body);
    for (LoopSite const& site : request_.loops) applied.cursors[site.loop->id] = {id};
    Stmt fused = rewrite_stmts(rest, [&](Stmt const& s) -> Stmt {
      auto const* list = s.as<Seq>();
      if (!list) return nullptr;
      std::vector<Stmt> stmts;
      for (Stmt const& child : list->stmts) {
        auto const* old = child.as<For>();
        bool gone = old && applied.cursors.contains(old->id);
        if (!gone) stmts.push_back(child);
        if (gone && old->id == first.id) stmts.insert(stmts.end(), all.begin(), all.end());
      }
      return seq(std::move(stmts));
    });
    applied.program.body = with_alloc_beside(fused, form_.maximum.store().buffer->name, before_);
    return applied;
  }
  /// Tensors that must be made in the iteration that reads them.
  std::set<std::string> tensors() const {
    std::set<std::string> names{now_->name, scale_->name};
    for (RollingPart const& part : form_.parts)
      if (part.of_iteration()) names.insert(part.nest.store().buffer->name);
    return names;
  }

private:
  /// One element of each row in each iteration; or the same one in all, so that nobody takes what
  /// is read of a maximum half-way for the whole one, and reads it elsewhere.
  Buffer of_rows(char const* suffix, bool each = true) {
    BufferNode node = *form_.maximum.store().buffer;
    node.name = free_tensor_name(program_, node.name + suffix);
    if (each) node.shape.insert(node.shape.begin(), int_imm(form_.count));
    node.alignments.clear();
    node.map = nullptr;
    if (is_parameter(request_.program, form_.maximum.store().buffer->name)) node.scope = "global";
    return std::make_shared<BufferNode const>(std::move(node));
  }
  std::vector<Expr> at(Expr const& step, std::vector<Expr> const& row) const {
    std::vector<Expr> indices{step};
    indices.insert(indices.end(), row.begin(), row.end());
    return indices;
  }
  /// The loops that were of another name count what this one does.
  Stmt renamed(RollingNest const& nest, Stmt const& s) const {
    return substitute(s, {{nest.loop.loop->name(), counter_}});
  }
  Expr renamed(RollingNest const& nest, Expr const& e) const {
    return e ? substitute(e, {{nest.loop.loop->name(), counter_}}) : e;
  }

  enum class Steps : uint8_t { kAll, kAfterTheFirst, kOnce };
  /// A block for each element that the nest's block makes, with `steps` as its first iterator.
  Stmt element_block(RollingNest const& nest, std::string const& name, Steps steps,
                     Stmt const& body) {
    std::vector<IterVar> iters;
    if (steps != Steps::kOnce)
      iters.push_back({step(), int_imm(form_.count), IterKind::kOrdered, counter_, ""});
    for (IterVar const& iter : nest.block().iters)
      if (iter.kind != IterKind::kReduce) iters.push_back(iter);
    Expr guard;
    for (Expr const& part : conjuncts(nest.block().predicate)) {
      bool reduces = std::ranges::any_of(nest.site.loops, [&](For const* loop) {
        return feeds(nest.block(), *loop, true) && uses_variable(part, loop->name());
      });
      if (!reduces) guard = guard ? guard && part : part;
    }
    if (steps == Steps::kAfterTheFirst) guard = guard ? (1 <= counter_) && guard : 1 <= counter_;
    return make_from<Block>(nest.block().origin, program_.fresh_block(),
                            free_tensor_name(program_, name), "", std::move(iters), guard, Stmt(),
                            body);
  }
  /// The nest's loops over elements, around something else.
  Stmt element_loops(RollingNest const& nest, Stmt body) {
    std::vector<For const*> inner = nest.inner();
    for (size_t i = inner.size(); i-- > 0;)
      if (!feeds(nest.block(), *inner[i], true))
        body = make_from<For>(inner[i]->origin, program_.fresh_loop(), inner[i]->var,
                              inner[i]->extent, inner[i]->loop_kind, body, inner[i]->bind);
    return body;
  }
  Expr step() const { return var("v" + name_); }

  Stmt iteration() {
    RollingNest const& maximum = form_.maximum;
    Store const& store = maximum.store();
    std::vector<Expr> row = at(step(), store.indices);
    Expr so_far = load(store.buffer, store.indices);
    std::string const& name = maximum.block().name;
    std::vector<Stmt> stmts;
    stmts.push_back(
        element_loops(maximum, element_block(maximum, name + "_before", Steps::kAfterTheFirst,
                                             make<Store>(before_, store.indices, so_far))));
    stmts.push_back(renamed(maximum, maximum.loop.loop->body));
    // Where all values so far are -inf, so is their maximum, and exp(-inf - -inf) is none: with 0
    // in its place these powers are 0. A row of which all are has none in the whole program, too,
    // and so in the last iteration.
    Expr nothing = float_imm(-std::numeric_limits<double>::infinity(), store.buffer->type);
    Expr empty = binary(BinaryOp::kEq, so_far, nothing) && step() < int_imm(form_.count - 1);
    Expr now = select(empty, float_imm(0, store.buffer->type), so_far);
    stmts.push_back(element_loops(
        maximum, element_block(maximum, name + "_now", Steps::kAll, make<Store>(now_, row, now))));
    Expr change = binary(BinaryOp::kSub, load(before_, store.indices), load(now_, row));
    stmts.push_back(element_loops(
        maximum, element_block(maximum, name + "_scale", Steps::kAfterTheFirst,
                               make<Store>(scale_, row, unary(UnaryOp::kExp, change)))));
    for (RollingPart const& part : form_.parts) {
      if (!part.of_iteration()) stmts.push_back(correction(part));
      stmts.push_back(renamed(part.nest, with_running_maximum(part)));
    }
    Stmt body = seq(std::move(stmts));
    for (RollingPart const& part : form_.parts)
      if (part.of_iteration()) body = make<Alloc>(part.nest.store().buffer, body);
    for (Buffer const& buffer : {scale_, now_}) body = make<Alloc>(buffer, body);
    return body;
  }
  /// What was summed so far, for the maximum as it is now; at first the sum's start.
  Stmt correction(RollingPart const& part) {
    Store const& store = part.nest.store();
    Expr product = binary(BinaryOp::kMul, load(store.buffer, store.indices),
                          load(scale_, at(step(), part.maximum)));
    Expr value = select(1 <= step(), product, part.nest.block().init.to<Store>().value);
    Stmt block = element_block(part.nest, part.nest.block().name + "_scale", Steps::kAll,
                               make<Store>(store.buffer, store.indices, value));
    return element_loops(part.nest, renamed(part.nest, block));
  }
  /// The nest below the fused loop, with powers of the maximum so far.
  Stmt with_running_maximum(RollingPart const& part) {
    Block const& block = part.nest.block();
    Store const& store = part.nest.store();
    Expr value = store.value;
    if (part.term) value = binary(BinaryOp::kAdd, load(store.buffer, store.indices), part.term);
    if (part.power) {
      Expr power = unary(UnaryOp::kExp, binary(BinaryOp::kSub, part.argument,
                                               load(now_, at(part.step, part.maximum))));
      value = rewrite(value, [&](Expr const& e) { return equal(e, part.power) ? power : Expr(); });
    }
    Stmt next = make_from<Block>(block.origin, block.id, block.name, block.op, block.iters,
                                 block.predicate, part.of_iteration() ? block.init : Stmt(),
                                 make<Store>(store.buffer, store.indices, value));
    return replace_block(part.nest.loop.loop->body, block.id, next);
  }
  Stmt last_factors(RollingPart const& part) {
    Store const& store = part.nest.store();
    Expr value = load(store.buffer, store.indices);
    for (RollingPart::Factor const& factor : part.last)
      value = binary(factor.divides ? BinaryOp::kDiv : BinaryOp::kMul, value, factor.value);
    return element_loops(part.nest,
                         element_block(part.nest, part.nest.block().name + "_last", Steps::kOnce,
                                       make<Store>(store.buffer, store.indices, value)));
  }

  StepRequest const& request_;
  RollingForm const& form_;
  Program program_;
  std::string name_;
  Expr counter_;
  Buffer before_, now_, scale_;
};

Applied apply(StepRequest const& request) {
  RollingForm form = rolling_form(request).value();  // found when it was checked
  return Fusion(request, form).applied();
}

/// A correction that comes twice would change a sum.
std::expected<void, Refusal> sums_once(StepRequest const& request, RollingNest const& nest) {
  PairAnswer again = find_restarted(nest.site, nest.inner(), request.budget);
  if (again.none()) return {};
  std::string const& name = nest.block().name;
  auto refusal = refuse(
      again.conflict ? "starts_again" : "undecided",
      again.conflict
          ? fmt::format("{} computes elements of {} more than once", name, again.conflict->buffer)
          : fmt::format("it could not be proved that {} computes each element once: {}", name,
                        again.unknown),
      kCondition, {nest.loop});
  refusal.error().conflict = again.conflict;
  refusal.error().undecided = !again.conflict;
  return refusal;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto form = rolling_form(request);
  if (!form) return std::unexpected(form.error());
  if (!are_neighbours(without_powers(*form, request.program.body), request.loops))
    return refuse("not_side_by_side", "the loops do not stand one right after the other",
                  "rolling_update: nothing may stand between the loops", request.loops);
  if (request.budget == ProofBudget::kTrusted) return Proof();
  for (RollingPart const& part : form->parts)
    if (!part.of_iteration())
      if (auto once = sums_once(request, part.nest); !once) return std::unexpected(once.error());
  Fusion fusion(request, *form);
  std::set<std::string> tensors = fusion.tensors();
  Program after = fusion.applied().program;
  DataflowQuestion asked{request.program, after, {}, tensors, {}};
  if (DataflowAnswer flow = check_dataflow(asked, request.budget); !flow.holds())
    return refuse_flow(flow, {}, kCondition);
  if (auto scoped = tensors_in_scope(after, kVerb); !scoped) return std::unexpected(scoped.error());
  return Proof{"sums are corrected for each new maximum"};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "rolling_update",
      .key = "Shift+U",
      .title = "Sum powers below a maximum that is still found",
      .doc =
          "Fuses the loop of a maximum, those of powers of e in which it is subtracted, and those "
          "of sums of such powers: an iteration takes the maximum of its tile and of all before, "
          "corrects what was summed so far by exp(old - new), and adds its own tile. Scores of "
          "whole rows need not be kept: this is the online softmax of attention in one pass. Name "
          "the tiles' loops, outermost in their nests; sums may be in any number. Only the order "
          "of sums changes, as rfactor does it, and what is the same in all terms of a sum and "
          "needs another one is applied after the loop.",
      .rewrite =
          "for t: M = max(M, X); for t: S += exp(X - M)  -->  for t: old = M; M = max(M, X); "
          "S *= exp(old - M); S += exp(X - M)",
      .refused = "cannot be fused with a maximum",
      .targets = -1,
      .gives = 1,
      .check = check,
      .apply = apply,
      .looks_into_blocks = true,
      .refuses = {"extent_unknown",      "extents_differ",   "input_out_of_scope",
                  "instances_added",     "instances_lost",   "loop_annotated",
                  "mixed_guard",         "not_a_power",      "not_a_rolling_sum",
                  "not_along_the_loop",  "not_finished",     "not_one_block",
                  "not_only_blocks",     "not_side_by_side", "opaque_block",
                  "read_elsewhere",      "several_writers",  "starts_again",
                  "starts_from_a_value", "undecided",        "writes_an_output"},
  };
  return primitive;
}

}  // namespace tw::primitive_rolling_update
