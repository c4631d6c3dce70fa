#include "engine/schedule/legality/single_block_nest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/index_map.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/ir/text.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

using namespace ir;

/// Of an axis along a tensor with a map: instructions have fewer.
constexpr int64_t kMostStepsLookedAt = 256;

bool uses_any(Expr const& e, std::vector<For const*> const& loops) {
  return std::ranges::any_of(loops,
                             [&](For const* loop) { return uses_variable(e, loop->name()); });
}

/// An iterator's value as a part that stands still while the nest runs, and one that runs.
struct Parts {
  arith::Linear still, running;
};

std::optional<Parts> parts_of(Expr const& binding, std::vector<For const*> const& loops) {
  Parts parts;
  arith::Linear all = arith::to_linear(binding);
  parts.still.constant = all.constant;
  for (arith::Linear::Term const& term : all.terms) {
    bool runs = uses_any(term.term, loops);
    if (runs && !term.term.as<Variable>()) return std::nullopt;
    (runs ? parts.running : parts.still).terms.push_back(term);
  }
  return parts;
}

/// The iterator of the call's block that counts the still part, and what the old one is by it.
bool part(IterVar iter, Parts parts, arith::Ranges const& outside, SingleBlockNest& nest,
          Substitution& values) {
  int64_t factor = 0;
  for (arith::Linear::Term const& term : parts.still.terms) factor = std::gcd(factor, term.factor);
  Expr rest = arith::to_expr(parts.running) + parts.still.constant;
  if (factor == 0) {
    values[iter.name()] = rest;
    return true;
  }
  parts.still.constant = 0;
  for (arith::Linear::Term& term : parts.still.terms) term.factor /= factor;
  iter.binding = arith::to_expr(parts.still);
  auto range = arith::bounds(iter.binding, outside);
  if (!range || range->low < 0) return false;
  iter.extent = int_imm(range->high + 1);
  nest.ranges.set(iter.name(), {0, range->high});
  values[iter.name()] = iter.var * factor + rest;
  nest.iters.push_back(std::move(iter));
  return true;
}

std::expected<Substitution, Refusal> part_iterators(SingleBlockNest& nest, std::string const& verb,
                                                    LoopSite const& top) {
  arith::Ranges all = ranges_of(nest.site.loops), outside = ranges_of(top.around);
  Substitution values;
  for (IterVar const& iter : nest.site.block->iters) {
    Expr binding = arith::simplify(iter.binding, all);
    if (!uses_any(binding, nest.loops)) {
      nest.iters.push_back(iter);
      if (uses_any(iter.binding, nest.loops)) nest.iters.back().binding = binding;
      if (auto extent = as_int(iter.extent)) nest.ranges.set(iter.name(), {0, *extent - 1});
      continue;
    }
    if (iter.kind == IterKind::kOrdered)
      return refuse(
          "order_matters",
          fmt::format("{} runs its steps along {} in order", nest.site.block->name, iter.name()),
          fmt::format("{}: the loops of a recurrence must be outside the nest", verb), {top});
    auto parts = parts_of(binding, nest.loops);
    if (!parts || !part(iter, *parts, outside, nest, values))
      return refuse(
          "parts_do_not_separate",
          fmt::format("{} of {} is {}, which is not separable into outer and nest loops",
                      iter.name(), nest.site.block->name, to_text(binding)),
          fmt::format(
              "{}: indices must be sums of a part outside the nest and of loops of the nest", verb),
          {top});
  }
  return values;
}

/// Whether a condition is the same in all iterations of the nest, whatever stands still: what it
/// compares differs by whole steps of what stands still, and none of them falls between.
bool holds_for_all_or_none(Expr const& condition, std::vector<For const*> const& loops) {
  auto const* test = condition.as<Binary>();
  if (!test || (test->op != BinaryOp::kLt && test->op != BinaryOp::kLe)) return false;
  auto parts = parts_of(test->b - test->a, loops);
  auto running =
      parts ? arith::bounds(arith::to_expr(parts->running), ranges_of(loops)) : std::nullopt;
  if (!running) return false;
  int64_t step = 0;
  for (arith::Linear::Term const& term : parts->still.terms) step = std::gcd(step, term.factor);
  if (step == 0) return false;
  // It holds from `least` on; the running part makes a difference to sums of `from` to `to`.
  int64_t least = test->op == BinaryOp::kLt ? 1 : 0;
  int64_t from = least - running->high - parts->still.constant;
  int64_t to = least - 1 - running->low - parts->still.constant;
  int64_t last = to - (to % step + step) % step;  // the last of whole steps up to there
  return last < from;
}

std::expected<void, Refusal> take_predicate(SingleBlockNest& nest, std::string const& verb,
                                            LoopSite const& top) {
  Substitution first;
  for (For const* loop : nest.loops) first[loop->name()] = int_imm(0);
  for (Expr part : conjuncts(nest.site.block->predicate)) {
    bool varies = uses_any(part, nest.loops);
    if (varies && holds_for_all_or_none(part, nest.loops))
      part = arith::simplify(substitute(part, first), ranges_of(top.around));
    else if (varies)
      return refuse("guarded_nest",
                    fmt::format("{} runs only where {}, but an instruction does all of its work: "
                                "pad the extent or partition the loop",
                                nest.site.block->name, to_text(part)),
                    fmt::format("{}: no guard may depend on the loops of the nest", verb), {top});
    nest.predicate = nest.predicate ? nest.predicate && part : part;
  }
  return {};
}

/// The most that `value` is where the condition holds, if the condition says it of that sum alone.
std::optional<int64_t> most_where(Expr const& condition, Expr const& value) {
  auto const* test = condition.as<Binary>();
  if (!test || (test->op != BinaryOp::kLt && test->op != BinaryOp::kLe)) return std::nullopt;
  arith::Linear room = arith::to_linear(test->b - test->a), sum = arith::to_linear(value);
  if (sum.terms.empty()) return std::nullopt;
  auto same = std::ranges::find_if(room.terms, [&](arith::Linear::Term const& term) {
    return equal(term.term, sum.terms.front().term);
  });
  int64_t times = same == room.terms.end() ? 0 : -same->factor / sum.terms.front().factor;
  arith::Linear rest = arith::add(room, sum, times);
  if (times < 1 || !rest.is_constant()) return std::nullopt;
  int64_t least = test->op == BinaryOp::kLt ? 1 : 0;
  return rest.constant < least ? std::nullopt : std::optional((rest.constant - least) / times);
}

/// Iterators of the call's block end where its predicate does.
void end_iterators(SingleBlockNest& nest) {
  for (Expr const& condition : conjuncts(nest.predicate))
    for (IterVar& iter : nest.iters) {
      auto most = most_where(condition, iter.binding);
      auto extent = as_int(iter.extent);
      if (!most || !extent || *most + 1 >= *extent) continue;
      iter.extent = int_imm(*most + 1);
      nest.ranges.set(iter.name(), {0, *most});
    }
}

std::expected<void, Refusal> check_block(SingleBlockNest const& nest, std::string const& verb,
                                         LoopSite const& top) {
  Block const& block = *nest.site.block;
  if (auto const* call = block.body.as<IntrinsicCall>())
    return refuse("block_is_a_call",
                  fmt::format("{} is a call of {} already", block.name, call->intrinsic->name),
                  fmt::format("{}: the nest must not be a call", verb), {top});
  if (block.init)
    return refuse("starts_a_sum",
                  fmt::format("{} also initializes its sum, which an instruction that updates does "
                              "not: decompose the reduction first",
                              block.name),
                  fmt::format("{}: the nest must not contain an initialization", verb), {top});
  if (!block.body.as<Store>())
    return refuse("not_one_store", fmt::format("{} does not write one element", block.name),
                  fmt::format("{}: the block must be one assignment", verb), {top});
  bool sums =
      std::ranges::any_of(nest.loops, [&](For const* loop) { return feeds(block, *loop, true); });
  if (sums && !is_reduction(nest.site))
    return refuse(
        "order_matters",
        fmt::format("{} updates its elements in an order that matters", block.name),
        fmt::format("{}: updates inside the nest must be a sum, or another reduction", verb),
        {top});
  return {};
}

/// The loops from the step's one down to the block.
std::expected<void, Refusal> find_block_below(SingleBlockNest& nest, StepRequest const& request,
                                              std::string const& verb) {
  LoopSite const& top = request.loops[0];
  Stmt below = top.loop->body;
  nest.loops = {top.loop};
  while (auto const* loop = below.as<For>()) {
    nest.loops.push_back(loop);
    below = loop->body;
  }
  auto const* block = below.as<Block>();
  std::string name = reference_of(request.program, top.loop->id);
  if (!block)
    return refuse("not_one_block", fmt::format("{} contains more than one statement", name),
                  fmt::format("{}: the loop must be around loops and one block", verb), {top});
  nest.site = {block, top.around};
  nest.site.loops.insert(nest.site.loops.end(), nest.loops.begin(), nest.loops.end());
  for (For const* loop : nest.loops)
    if (auto plain = plain_loop(request.program, site_of(request.program, loop->id), verb); !plain)
      return std::unexpected(plain.error());
  for (For const* loop : top.around)
    if (loop->loop_kind == LoopKind::kVector)
      return refuse("call_in_vector_loop",
                    fmt::format("{} is a vector loop around {}",
                                reference_of(request.program, loop->id), name),
                    fmt::format("{}: a vector loop cannot contain a call", verb), {top});
  return {};
}

bool reaches_each_once(Operand const& operand) {
  auto const& element = operand.value.to<Load>();
  std::set<std::string> told;
  for (Expr const& e : element.indices) {
    arith::Linear index = arith::to_linear(e);
    std::vector<std::pair<int64_t, OperandAxis const*>> digits;
    for (OperandAxis const& axis : operand.axes)
      if (int64_t factor = index.factor_of(axis.name())) digits.push_back({factor, &axis});
    std::ranges::sort(digits, {}, [](auto const& digit) { return digit.first; });
    int64_t reach = 1;
    bool apart = std::ranges::all_of(index.terms, [&](arith::Linear::Term const& term) {
      return term.term.as<Variable>() || std::ranges::none_of(operand.axes, [&](auto const& axis) {
               return uses_variable(term.term, axis.name());
             });
    });
    for (auto const& [factor, axis] : digits) {
      apart = apart && factor >= reach;
      reach = factor * as_int(axis->extent).value_or(int64_t(1) << 31);
    }
    for (auto const& [factor, axis] : digits)
      if (apart) told.insert(axis->name());
  }
  return std::ranges::all_of(operand.axes, [&](OperandAxis const& axis) {
    return is_int(axis.extent, 1) || told.contains(axis.name());
  });
}

}  // namespace

bool SingleBlockNest::is_loop(std::string const& name) const {
  return std::ranges::any_of(loops, [&](For const* loop) { return loop->name() == name; });
}

std::expected<SingleBlockNest, Refusal> single_block_nest(StepRequest const& request,
                                                          std::string const& verb) {
  SingleBlockNest nest;
  if (auto found = find_block_below(nest, request, verb); !found)
    return std::unexpected(found.error());
  LoopSite const& top = request.loops[0];
  if (auto good = check_block(nest, verb, top); !good) return std::unexpected(good.error());
  if (auto taken = take_predicate(nest, verb, top); !taken) return std::unexpected(taken.error());
  nest.ranges = ranges_of(nest.loops);
  auto values = part_iterators(nest, verb, top);
  if (!values) return std::unexpected(values.error());
  end_iterators(nest);
  auto const& store = nest.site.block->body.to<Store>();
  auto said = [&](Expr const& e) { return arith::simplify(substitute(e, *values), nest.ranges); };
  nest.buffer = store.buffer;
  for (Expr const& one : store.indices) nest.indices.push_back(said(one));
  nest.value = rewrite(substitute(store.value, *values), [&](Expr const& e) -> Expr {
    auto const* read = e.as<Load>();
    if (!read) return nullptr;
    std::vector<Expr> at;
    for (Expr const& one : read->indices) at.push_back(arith::simplify(one, nest.ranges));
    return load(read->buffer, std::move(at));
  });
  return nest;
}

std::expected<void, Refusal> instances_stay_apart(StepRequest const& request,
                                                  SingleBlockNest const& nest,
                                                  std::string const& verb) {
  for (For const* loop : request.loops[0].around) {
    bool counted = std::ranges::any_of(nest.iters, [&](IterVar const& iter) {
      return iter.kind == IterKind::kSpatial && uses_variable(iter.binding, loop->name());
    });
    if (!counted || is_allocated_in(loop->body, nest.buffer->name)) continue;
    if (separated_loops({nest.site}, {loop}).front()) continue;
    if (find_carried({nest.site}, *loop, {}, request.budget).none()) continue;
    return refuse("calls_would_meet",
                  fmt::format("iterations of {} compute some of the same elements of {}",
                              reference_of(request.program, loop->id), nest.buffer->name),
                  fmt::format("{}: each call writes elements that no other one does", verb),
                  {request.loops[0]});
  }
  return {};
}

namespace {

/// Of a tensor with a map, along one axis: 0 where steps are of different lengths, or nothing is
/// known of them.
int64_t mapped_stride(Operand const& operand, OperandAxis const& axis,
                      arith::Ranges const& ranges) {
  auto const& element = operand.value.to<Load>();
  auto shape = mapped_shape(*element.buffer->map, *constant_shape(*element.buffer));
  int64_t extent = as_int(axis.extent).value_or(0), stride = 0;
  if (!shape || extent > kMostStepsLookedAt) return 0;
  auto place = [&](int64_t at) {
    Expr flat = int_imm(0);
    std::vector<Expr> indices = element.indices;
    for (Expr& index : indices) index = substitute(index, {{axis.name(), int_imm(at)}});
    std::vector<Expr> in_memory = mapped_indices(*element.buffer->map, indices);
    for (size_t d = 0; d < shape->size(); ++d) flat = flat * int_imm((*shape)[d]) + in_memory[d];
    return arith::simplify(flat, ranges);
  };
  Expr first = place(0);
  for (int64_t at = 1; at < extent; ++at) {
    auto apart = as_int(arith::simplify(place(at) - first, ranges));
    if (!apart || *apart % at != 0 || (at > 1 && *apart / at != stride)) return 0;
    stride = *apart / at;
  }
  return stride;
}

}  // namespace

bool is_even_along(arith::Linear const& sum, std::string const& loop) {
  return std::ranges::none_of(sum.terms, [&](arith::Linear::Term const& term) {
    return !term.term.as<Variable>() && uses_variable(term.term, loop);
  });
}

Expr place_of(Load const& element, arith::Ranges const& ranges) {
  auto strides = element.buffer->map ? std::nullopt : strides_of(*element.buffer);
  if (!strides) return nullptr;
  Expr place = int_imm(0);
  for (size_t d = 0; d < strides->size(); ++d)
    place = place + element.indices[d] * int_imm((*strides)[d]);
  return arith::simplify(place, ranges);
}

std::vector<int64_t> strides_of(Operand const& operand, arith::Ranges const& ranges) {
  auto const& element = operand.value.to<Load>();
  std::vector<int64_t> strides(operand.axes.size(), 0);
  if (element.buffer->map) {
    for (size_t a = 0; a < strides.size(); ++a)
      strides[a] = mapped_stride(operand, operand.axes[a], ranges);
    return strides;
  }
  arith::Ranges with_axes = ranges;
  for (OperandAxis const& axis : operand.axes)
    if (auto extent = as_int(axis.extent)) with_axes.set(axis.name(), {0, *extent - 1});
  Expr place = place_of(element, with_axes);
  if (!place) return strides;
  arith::Linear linear = arith::to_linear(place);
  for (size_t a = 0; a < strides.size(); ++a)
    if (is_even_along(linear, operand.axes[a].name()))
      strides[a] = linear.factor_of(operand.axes[a].name());
  return strides;
}

bool writes_each_once(SingleBlockNest const& nest, Operand const& operand) {
  if (reaches_each_once(operand)) return true;
  for (OperandAxis const& axis : operand.axes)
    if (!is_int(axis.extent, 1) && !uses_variable(operand.value, axis.name())) return false;
  // Instances that differ in spatial iterators only do not meet.
  Block const& block = *nest.site.block;
  return runs_once(nest.site, nest.loops) && std::ranges::none_of(nest.loops, [&](For const* loop) {
           return feeds(block, *loop, true) && uses_any(load(nest.buffer, nest.indices), {loop});
         });
}

std::string free_axis_name(SingleBlockNest const& nest, std::string const& wanted) {
  auto taken = [&](std::string const& name) {
    auto named = [&](auto const& one) { return one.name() == name; };
    return std::ranges::any_of(nest.iters, named) ||
           std::ranges::any_of(nest.site.loops, [&](For const* loop) { return named(*loop); });
  };
  std::string name = wanted;
  for (int number = 1; taken(name); ++number) name = fmt::format("{}{}", wanted, number);
  return name;
}

std::string nest_text(SingleBlockNest const& nest) {
  std::vector<std::string> loops, indices;
  for (For const* loop : nest.loops)
    loops.push_back(fmt::format("{} in {}", loop->name(), to_text(loop->extent)));
  for (Expr const& index : nest.indices) indices.push_back(to_text(index));
  return fmt::format("for {}: {}[{}] = {}", fmt::join(loops, ", "), nest.buffer->name,
                     fmt::join(indices, ", "), to_text(nest.value));
}

Applied with_call(StepRequest const& request, SingleBlockNest const& nest, Intrinsic intrinsic,
                  std::vector<Operand> operands) {
  Applied applied{request.program, {}, {}};
  Block const& block = *nest.site.block;
  Stmt call = make<IntrinsicCall>(std::move(intrinsic), std::move(operands));
  Stmt now = make_from<Block>(block.origin, block.id, block.name, block.op, nest.iters,
                              nest.predicate, Stmt(), std::move(call));
  applied.program.body = replace_loop(request.program.body, request.loops[0].loop->id, now);
  return applied;
}

}  // namespace tw
