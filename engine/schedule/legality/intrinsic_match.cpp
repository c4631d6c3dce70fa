#include "engine/schedule/legality/intrinsic_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/schedule/legality/structure.h"

namespace tw {
namespace {

using namespace ir;

constexpr int kMostPairs = 6000;

int64_t iterations(For const* loop) { return loop ? as_int(loop->extent).value_or(0) : 1; }

/// The loop of the behaviour takes any number of iterations.
bool takes_any(For const& loop) { return loop.extent.as<Variable>(); }

int differing(SingleBlockNest const& nest, Behaviour const& behaviour, LoopPairs const& pairs) {
  int count = 0;
  for (size_t i = 0; i < pairs.size(); ++i)
    count += !takes_any(*behaviour.loops[i]) &&
             as_int(behaviour.loops[i]->extent) != std::optional(iterations(pairs[i]));
  for (For const* loop : nest.loops)
    count += iterations(loop) != 1 && std::ranges::find(pairs, loop) == pairs.end();
  return count;
}

/// Calls `f` for the ways to pair the behaviour's loops with the nest's, until it answers false.
void for_pairs(SingleBlockNest const& nest, Behaviour const& behaviour,
               std::function<bool(LoopPairs const&)> const& f) {
  LoopPairs pairs;
  int left = kMostPairs;
  int missing = std::max(0, int(behaviour.loops.size()) - int(nest.loops.size()));
  std::function<bool(int)> go_on = [&](int without) {
    if (--left < 0) return false;
    if (pairs.size() == behaviour.loops.size()) return f(pairs);
    for (For const* loop : nest.loops) {
      if (std::ranges::find(pairs, loop) != pairs.end()) continue;
      pairs.push_back(loop);
      if (!go_on(without)) return false;
      pairs.pop_back();
    }
    if (without == 0) return true;
    pairs.push_back(nullptr);
    if (!go_on(without - 1)) return false;
    pairs.pop_back();
    return true;
  };
  go_on(missing);
}

struct Best {
  NestComparison comparison;
  LoopPairs pairs;
  int differing = 0;  ///< extents
};

Best best_pairs(SingleBlockNest const& nest, IntrinsicNode const& intrinsic,
                Behaviour const& behaviour) {
  Best best;
  bool first = true;
  for_pairs(nest, behaviour, [&](LoopPairs const& pairs) {
    int count = differing(nest, behaviour, pairs);
    NestComparison now = compare(nest, intrinsic, behaviour, pairs);
    auto rank = [](NestComparison const& c, int d) {
      return std::tuple(c.same, c.same ? -d : c.parts);
    };
    if (first || rank(now, count) > rank(best.comparison, best.differing))
      best = {std::move(now), pairs, count};
    first = false;
    return !(best.comparison.same && best.differing == 0);
  });
  return best;
}

std::string side_by_side(SingleBlockNest const& nest, IntrinsicNode const& intrinsic,
                         Behaviour const& behaviour) {
  return fmt::format("the nest does not compute what {} does:\n    {}\n    {}\n  ", intrinsic.name,
                     nest_text(nest), behaviour_text(behaviour));
}

std::string help_for(int64_t needs, int64_t has) {
  if (has < needs) return "pad the extent";
  return has % needs == 0 ? "split the loop" : "pad or split";
}

std::unexpected<Refusal> refuse_extents(SingleBlockNest const& nest, IntrinsicNode const& intrinsic,
                                        Behaviour const& behaviour, LoopPairs const& pairs,
                                        LoopSite const& top) {
  std::string what;
  auto add = [&](std::string one) { what += (what.empty() ? "" : "; ") + std::move(one); };
  for (size_t i = 0; i < pairs.size(); ++i) {
    For const& loop = *behaviour.loops[i];
    int64_t needs = as_int(loop.extent).value_or(0), has = iterations(pairs[i]);
    if (takes_any(loop) || needs == has) continue;
    add(fmt::format("{} of {} needs {}, {} has {}: {}", loop.name(), intrinsic.name, needs,
                    pairs[i] ? pairs[i]->name() : "the nest", has, help_for(needs, has)));
  }
  for (For const* loop : nest.loops)
    if (iterations(loop) != 1 && std::ranges::find(pairs, loop) == pairs.end())
      add(fmt::format("{} has no loop for {}: move it outside", intrinsic.name, loop->name()));
  return refuse("extent_differs", side_by_side(nest, intrinsic, behaviour) + what,
                "tensorize: every loop of the nest must have as many iterations as the "
                "instruction's has",
                {top});
}

/// The elements that a parameter is, over axes of its own.
Operand operand_of(SingleBlockNest const& nest, IntrinsicParam const& param,
                   Behaviour const& behaviour, LoopPairs const& pairs, Load const& wanted,
                   NestComparison const& found) {
  Operand operand;
  Substitution to_axes, sizes;
  for (For const* loop : nest.loops) to_axes[loop->name()] = int_imm(0);
  for (auto const& [name, value] : found.scalars) sizes[name] = value;
  for (size_t d = 0; d < wanted.indices.size(); ++d) {
    Expr axis = var(free_axis_name(nest, fmt::format("{}._{}", param.name(), d)));
    operand.axes.push_back({axis, substitute(param.buffer->shape[d], sizes)});
    auto const* v = wanted.indices[d].as<Variable>();
    for (size_t i = 0; v && i < pairs.size(); ++i)
      if (behaviour.loops[i]->name() == v->name && pairs[i]) to_axes[pairs[i]->name()] = axis;
  }
  auto const& element = found.elements.at(param.name()).to<Load>();
  std::vector<Expr> indices;
  for (Expr const& index : element.indices)
    indices.push_back(arith::simplify(substitute(index, to_axes), nest.ranges));
  operand.value = load(element.buffer, std::move(indices));
  return operand;
}

/// The parameter's element in the behaviour: a Load, also where it is written.
Expr wanted_element(Behaviour const& behaviour, std::string const& param) {
  if (behaviour.store->buffer->name == param)
    return load(behaviour.store->buffer, behaviour.store->indices);
  Expr found;
  walk(behaviour.store->value, [&](Expr const& e) {
    if (auto const* read = e.as<Load>(); read && read->buffer->name == param) found = e;
    return !found;
  });
  return found;
}

std::expected<void, Refusal> check_operand(TensorIntrinsic const& intrinsic, size_t i,
                                           Operand const& operand, SingleBlockNest const& nest,
                                           LoopSite const& top) {
  IntrinsicParam const& param = intrinsic.declaration->params[i];
  std::string const& tensor = operand.value.to<Load>().buffer->name;
  std::string const& name = intrinsic.declaration->name;
  if (!param.writes() && tensor == nest.buffer->name)
    return refuse("reads_what_it_writes",
                  fmt::format("{} reads {} as {}, which it also writes: it reads everything before "
                              "it writes",
                              name, tensor, param.name()),
                  "tensorize: the nest may read of the tensor it writes only the element it "
                  "updates",
                  {top});
  if (param.writes() && !writes_each_once(nest, operand))
    return refuse(
        "writes_elements_twice",
        fmt::format("the nest writes elements of {} more than once, as {} does not", tensor, name),
        "tensorize: different elements of a written operand must be different elements of the "
        "tensor",
        {top});
  size_t dense = i < intrinsic.dense.size() ? size_t(intrinsic.dense[i]) : 0;
  std::vector<int64_t> strides = strides_of(operand, nest.ranges);
  int64_t next = 1;
  for (size_t d = strides.size(); d-- > 0 && dense-- > 0;) {
    int64_t extent = as_int(operand.axes[d].extent).value_or(0);
    if (extent != 1 && strides[d] != next)
      return refuse("not_in_rows",
                    fmt::format("{} needs elements along dimension {} of {} to be {} apart; in {} "
                                "they are {} apart: pack {}",
                                name, d, param.name(), next, tensor, strides[d], tensor),
                    "tensorize: the operand must have the memory layout that the instruction reads",
                    {top});
    next *= extent;
  }
  return {};
}

}  // namespace

std::expected<IntrinsicMatch, Refusal> match_intrinsic(SingleBlockNest const& nest,
                                                       TensorIntrinsic const& intrinsic,
                                                       LoopSite const& top) {
  IntrinsicNode const& node = *intrinsic.declaration;
  auto behaviour = behaviour_of(node);
  if (!behaviour)
    return refuse(
        "no_such_behaviour",
        fmt::format("{} is not declared as a nest of loops around one assignment", node.name),
        "tensorize: the semantics of the instruction must be comparable with a nest", {top});
  Best best = best_pairs(nest, node, *behaviour);
  if (!best.comparison.same)
    return refuse("nest_differs", side_by_side(nest, node, *behaviour) + best.comparison.difference,
                  "tensorize: the nest must compute what the instruction computes", {top});
  if (best.differing > 0) return refuse_extents(nest, node, *behaviour, best.pairs, top);
  IntrinsicMatch match;
  for (size_t i = 0; i < node.params.size(); ++i) {
    IntrinsicParam const& param = node.params[i];
    if (!param.buffer) {
      match.operands.push_back({best.comparison.scalars.at(param.name()), {}});
      continue;
    }
    Expr wanted = wanted_element(*behaviour, param.name());
    match.operands.push_back(
        operand_of(nest, param, *behaviour, best.pairs, wanted.to<Load>(), best.comparison));
    if (auto good = check_operand(intrinsic, i, match.operands.back(), nest, top); !good)
      return std::unexpected(good.error());
  }
  return match;
}

std::vector<LoopPairs> pairs_but_for_extents(SingleBlockNest const& nest,
                                             IntrinsicNode const& intrinsic) {
  std::vector<LoopPairs> found;
  auto behaviour = behaviour_of(intrinsic);
  if (!behaviour) return found;
  int fewest = 0;
  for_pairs(nest, *behaviour, [&](LoopPairs const& pairs) {
    int count = differing(nest, *behaviour, pairs);
    if (!found.empty() && count > fewest) return true;
    if (!compare(nest, intrinsic, *behaviour, pairs).same) return true;
    if (!found.empty() && count < fewest) found.clear();
    fewest = count;
    found.push_back(pairs);
    return true;
  });
  return found;
}

}  // namespace tw
