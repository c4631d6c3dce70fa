#include "engine/schedule/legality/rolling_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

using namespace ir;

constexpr char kVerb[] = "rolling_update";
constexpr char kNests[] =
    "rolling_update: loops of a maximum, of powers of e and of sums, one after the other and alike "
    "in their extents";
constexpr char kValues[] =
    "rolling_update: powers are exp(x - m) of the values x that have the maximum m, and each term "
    "of a sum has one of them as a factor";

std::unexpected<Refusal> refuse_block(std::string code, RollingNest const& nest,
                                      std::string const& message) {
  return refuse(std::move(code), fmt::format("{} {}", nest.block().name, message), kValues,
                {nest.loop});
}

/// The only block of a nest of loops with nothing else in it.
std::expected<RollingNest, Refusal> nest_of(StepRequest const& request, LoopSite const& loop) {
  if (auto count = plain_loop(request.program, loop, kVerb); !count)
    return std::unexpected(count.error());
  Stmt body = loop.loop->body;
  while (auto const* inner = body.as<For>()) body = inner->body;
  auto const* block = body.as<Block>();
  if (!block || !block->body.as<Store>())
    return refuse("not_one_block",
                  fmt::format("{} does not hold one block of one store and nothing else",
                              reference_of(request.program, loop.loop->id)),
                  kNests, {loop});
  for (BlockSite& site : blocks_of(request.program.body))
    if (site.block == block) return RollingNest{loop, std::move(site)};
  TW_ASSERT(false, "the block stands in the program");
}

Expr over_loops(RollingNest const& nest, Expr const& e) {
  Substitution bindings;
  for (IterVar const& iter : nest.block().iters) bindings[iter.name()] = iter.binding;
  return substitute(e, bindings);
}

/// The iterators whose values depend on the loop that is fused.
std::vector<IterVar const*> fed_iterators(RollingNest const& nest) {
  std::vector<IterVar const*> fed;
  for (IterVar const& iter : nest.block().iters)
    if (uses_variable(iter.binding, nest.loop.loop->name())) fed.push_back(&iter);
  return fed;
}

/// `e`, over loops, is the fused loop's counter times `tile` and less than `tile` beside it.
bool moves_by_tiles(RollingNest const& nest, Expr const& e, int64_t tile) {
  Expr counter =
      arith::simplify(floor_div(over_loops(nest, e), int_imm(tile)), ranges_of(nest.site.loops));
  return equal(counter, nest.loop.loop->var);
}

/// Values of the axis that the fused loop runs over, in one of its iterations; nothing where these
/// are no tiles.
std::optional<int64_t> tile_of(RollingNest const& nest) {
  std::vector<IterVar const*> fed = fed_iterators(nest);
  if (fed.size() != 1) return std::nullopt;
  auto at = [&](int64_t value) {
    Substitution loops;
    for (For const* loop : nest.site.loops)
      loops[loop->name()] = int_imm(loop == nest.loop.loop ? value : 0);
    return as_int(arith::simplify(substitute(fed[0]->binding, loops)));
  };
  auto first = at(0), second = at(1);
  if (!first || !second || *second <= *first) return std::nullopt;
  int64_t tile = *second - *first;
  return moves_by_tiles(nest, fed[0]->var, tile) ? std::optional(tile) : std::nullopt;
}

bool reads_any(Expr const& e, std::set<std::string> const& tensors) {
  bool reads = false;
  walk(e, [&](Expr const& part) {
    auto const* read = part.as<Load>();
    reads = reads || (read && tensors.contains(read->buffer->name));
    return !reads;
  });
  return reads;
}

bool uses_reduce_axes(Block const& block, Expr const& e) {
  return std::ranges::any_of(block.iters, [&](IterVar const& iter) {
    return iter.kind == IterKind::kReduce && uses_variable(e, iter.name());
  });
}

/// No condition speaks of reduction loops and of others.
bool guards_keep_apart(BlockSite const& site) {
  return std::ranges::all_of(conjuncts(site.block->predicate), [&](Expr const& part) {
    bool reduce = false, spatial = false;
    for (For const* loop : site.loops)
      if (uses_variable(part, loop->name()))
        (feeds(*site.block, *loop, true) ? reduce : spatial) = true;
    return !reduce || !spatial;
  });
}

/// A whole sum or maximum of floats, which starts from nothing. Its elements are those of all
/// iterations of the fused loop, or of each.
std::expected<void, Refusal> reduces(RollingNest const& nest, BinaryOp op, IterKind fused) {
  Block const& block = nest.block();
  auto info = reduction_of(block);
  char const* what = op == BinaryOp::kMax ? "maximum" : "sum";
  if (!info || info->op != op || !block.init || !is_reduction(nest.site))
    return refuse_block("not_a_rolling_sum", nest, fmt::format("is no {}", what));
  Expr start = block.init.to<Store>().value;
  if (!is_float(start.type()) || !equal(start, neutral(op, start.type())))
    return refuse_block("starts_from_a_value", nest,
                        "starts from a value that is not that of an empty one");
  std::vector<IterVar const*> fed = fed_iterators(nest);
  bool along = fed.size() == 1 && fed[0]->kind == fused && tile_of(nest);
  std::vector<For const*> inner = nest.inner();
  for (For const* loop : nest.site.loops) {
    bool inside = loop == nest.loop.loop || std::ranges::find(inner, loop) != inner.end();
    along = along && !(feeds(block, *loop, true) && (!inside || feeds(block, *loop, false)));
  }
  if (!along)
    return refuse_block("not_along_the_loop", nest,
                        fmt::format("does not take its {} tile by tile along the loop", what));
  if (guards_keep_apart(nest.site)) return {};
  return refuse_block("mixed_guard", nest,
                      "has a guard that depends on both reduction loops and spatial loops");
}

/// What the loops have in common, and what the blocks write.
struct Look {
  StepRequest const& request;
  RollingForm form;
  std::set<std::string> written;  ///< by all blocks

  std::string const& maximum() const { return form.maximum.store().buffer->name; }
};

/// What stands for the iterators of a block that writes the element at `indices`, one for one.
std::optional<Substitution> iterators_of(Block const& block, std::vector<Expr> const& indices) {
  Substitution iterators;
  Store const& store = block.body.to<Store>();
  for (size_t d = 0; d < indices.size(); ++d) {
    auto const* shown = store.indices[d].as<Variable>();
    if (!shown) return std::nullopt;
    iterators[shown->name] = indices[d];
  }
  for (IterVar const& iter : block.iters)
    if (!iterators.contains(iter.name()) && is_int(iter.extent, 1))
      iterators[iter.name()] = int_imm(0);
  return iterators;
}

/// Of the maximum of `count` values that another block has taken: the one in `key`.
Expr value_among(Program const& program, Expr const& value, Expr const& key, int64_t count,
                 arith::Ranges const& ranges) {
  auto const* read = value.as<Load>();
  if (!read) return value;
  std::vector<BlockSite> makers = writers_of(program, read->buffer->name);
  auto info = makers.size() == 1 ? reduction_of(*makers[0].block) : std::nullopt;
  if (!info || info->op != BinaryOp::kMax) return value;
  auto iterators = iterators_of(*makers[0].block, read->indices);
  for (IterVar const& iter : makers[0].block->iters)
    if (iterators && !iterators->contains(iter.name()))
      (*iterators)[iter.name()] = floor_mod(key, int_imm(count));
  if (!iterators) return value;
  Expr term = arith::simplify(substitute(info->value, *iterators), ranges);
  auto const* chosen = term.as<Select>();
  return chosen && arith::always(chosen->condition, ranges) ? chosen->a : term;
}

/// `x`, in a part's iterators, is a value of the iteration's that the element at `indices` is the
/// maximum of.
bool has_maximum(Look const& look, RollingPart const& part, Expr const& x,
                 std::vector<Expr> const& indices) {
  RollingNest const& maximum = look.form.maximum;
  auto iterators = iterators_of(maximum.block(), indices);
  int64_t tile = *tile_of(maximum), each = part.tile / tile;  // values that one of its own is of
  if (!iterators || each * tile != part.tile) return false;
  Expr key = fed_iterators(part.nest)[0]->var;
  (*iterators)[fed_iterators(maximum)[0]->name()] = floor_div(key, int_imm(each));
  for (IterVar const& iter : maximum.block().iters)
    if (!iterators->contains(iter.name())) return false;
  arith::Ranges ranges = iterator_ranges(part.nest.block());
  Expr value =
      arith::simplify(substitute(reduction_of(maximum.block())->value, *iterators), ranges);
  Expr wanted = arith::simplify(x, ranges);
  return equal(value, wanted) ||
         equal(value_among(look.request.program, value, key, each, ranges), wanted);
}

/// exp(x - M[..]), where x is free of all that is being computed and is what M is the maximum of;
/// false: it is another expression.
bool is_power(Look const& look, RollingPart& part, Expr const& e) {
  auto const* power = e.as<Unary>();
  auto const* difference = power && power->op == UnaryOp::kExp ? power->a.as<Binary>() : nullptr;
  if (!difference || difference->op != BinaryOp::kSub) return false;
  auto const* read = difference->b.as<Load>();
  if (!read || read->buffer->name != look.maximum() || reads_any(difference->a, look.written))
    return false;
  for (Expr const& index : read->indices)
    if (reads_any(index, look.written)) return false;
  if (!has_maximum(look, part, difference->a, read->indices)) return false;
  part.power = e;
  part.argument = difference->a;
  part.maximum = read->indices;
  part.step = floor_div(fed_iterators(part.nest)[0]->var, int_imm(part.tile));
  return true;
}

/// What an earlier nest has made of powers, in the same iteration of the fused loop.
bool reads_power(Look const& look, RollingPart& part, Expr const& e) {
  auto const* read = e.as<Load>();
  if (!read) return false;
  for (RollingPart const& earlier : look.form.parts) {
    if (!earlier.of_iteration() || earlier.nest.store().buffer->name != read->buffer->name)
      continue;
    auto iterators = iterators_of(earlier.nest.block(), read->indices);
    for (Expr const& index : read->indices)
      if (reads_any(index, look.written)) return false;
    if (!iterators) return false;
    for (Expr const& index : earlier.maximum) part.maximum.push_back(substitute(index, *iterators));
    Expr key = substitute(fed_iterators(earlier.nest)[0]->var, *iterators);
    return moves_by_tiles(part.nest, key, earlier.tile);
  }
  return false;
}

std::expected<void, Refusal> add_powers(Look& look, RollingPart part) {
  std::vector<IterVar const*> fed = fed_iterators(part.nest);
  auto tile = tile_of(part.nest);
  part.tile = tile.value_or(1);
  if (!is_complete(part.nest.site) || !tile || fed[0]->kind != IterKind::kSpatial ||
      !iterators_of(part.nest.block(), part.nest.store().indices) ||
      !is_power(look, part, part.nest.store().value))
    return refuse_block("not_a_power", part.nest,
                        fmt::format("is neither a sum nor exp(x - {0}) of the values in the same "
                                    "iteration that {0} is the maximum of",
                                    look.maximum()));
  look.form.parts.push_back(std::move(part));
  return {};
}

/// Takes a product apart: the power becomes that of the part, and what is left is the result; null:
/// nothing is. Nothing where it is no such product.
class Product {
public:
  Product(Look const& look, RollingPart& part) : look_(look), part_(part) {}

  std::optional<Expr> without_last(Expr const& e, bool divides = false) {
    if (auto const* chosen = e.as<Select>()) return of_chosen(*chosen, e, divides);
    auto const* both = e.as<Binary>();
    bool product = both && (both->op == BinaryOp::kMul || both->op == BinaryOp::kDiv);
    if (!product) return factor(e, divides);
    bool quotient = both->op == BinaryOp::kDiv;
    auto a = without_last(both->a, divides), b = without_last(both->b, divides != quotient);
    if (!a || !b) return std::nullopt;
    if (!*b) return *a;
    if (!*a && quotient) return binary(BinaryOp::kDiv, float_imm(1, e.type()), *b);
    return *a ? binary(both->op, *a, *b) : *b;
  }
  int powers() const { return powers_; }

private:
  /// A term that is there where a condition holds, else 0.
  std::optional<Expr> of_chosen(Select const& chosen, Expr const& e, bool divides) {
    bool nothing = equal(chosen.b, neutral(BinaryOp::kAdd, e.type()));
    if (divides || !nothing || reads_any(chosen.condition, look_.written))
      return factor(e, divides);
    auto a = without_last(chosen.a, divides);
    if (!a || !*a) return std::nullopt;
    return select(chosen.condition, *a, chosen.b);
  }
  std::optional<Expr> factor(Expr const& e, bool divides) {
    if (!reads_any(e, look_.written)) return e;
    if (!divides && (is_power(look_, part_, e) || reads_power(look_, part_, e))) {
      ++powers_;
      return e;
    }
    bool sums = !reads_any(e, unfinished()) && !uses_reduce_axes(part_.nest.block(), e);
    if (!sums) return std::nullopt;
    part_.last.push_back({e, divides});
    return Expr();
  }
  /// What is whole after the loop only, and not one of the sums.
  std::set<std::string> unfinished() const {
    std::set<std::string> tensors = look_.written;
    for (RollingPart const& part : look_.form.parts)
      if (!part.of_iteration()) tensors.erase(part.nest.store().buffer->name);
    return tensors;
  }

  Look const& look_;
  RollingPart& part_;
  int powers_ = 0;
};

std::expected<void, Refusal> add_sum(Look& look, RollingPart part) {
  std::vector<IterVar const*> fed = fed_iterators(part.nest);
  bool apart = fed.size() == 1 && fed[0]->kind == IterKind::kSpatial;
  part.kind = apart ? RollingKind::kParts : RollingKind::kSum;
  auto sums = reduces(part.nest, BinaryOp::kAdd, apart ? IterKind::kSpatial : IterKind::kReduce);
  if (!sums) return sums;
  part.tile = *tile_of(part.nest);
  Block const& block = part.nest.block();
  Product product(look, part);
  auto term = product.without_last(reduction_of(block)->value);
  bool one = term && *term && product.powers() == 1 && (!apart || part.last.empty());
  for (Expr const& index : part.maximum) one = one && !uses_reduce_axes(block, index);
  for (Expr const& index : part.nest.store().indices) one = one && !reads_any(index, look.written);
  if (apart) one = one && iterators_of(block, part.nest.store().indices);
  if (!one)
    return refuse_block("not_a_rolling_sum", part.nest,
                        fmt::format("does not sum terms that have one power with {} as a factor "
                                    "and are free of it otherwise",
                                    look.maximum()));
  part.term = *term;
  look.form.parts.push_back(std::move(part));
  return {};
}

/// Elements of powers, and of sums of one iteration, belong to the maximum so far: nobody else may
/// see them.
std::expected<void, Refusal> powers_stay_inside(Look const& look) {
  for (RollingPart const& part : look.form.parts) {
    if (!part.of_iteration()) continue;
    std::string const& tensor = part.nest.store().buffer->name;
    if (is_parameter(look.request.program, tensor))
      return refuse_block("writes_an_output", part.nest, "writes an output of the kernel");
    for (BlockSite const& reader : readers_of(look.request.program, tensor)) {
      bool known = std::ranges::any_of(look.form.parts, [&](RollingPart const& other) {
        return other.nest.site.block == reader.block;
      });
      if (!known)
        return refuse_block("read_elsewhere", part.nest,
                            fmt::format("computes {}, which {} reads outside of these loops",
                                        tensor, reader.block->name));
    }
  }
  return {};
}

}  // namespace

Store const& RollingNest::store() const { return site.block->body.to<Store>(); }

std::vector<For const*> RollingNest::inner() const {
  auto at = std::ranges::find(site.loops, loop.loop);
  return {at + 1, site.loops.end()};
}

std::expected<RollingForm, Refusal> rolling_form(StepRequest const& request) {
  Look look{request, {}, {}};
  std::vector<RollingNest> nests;
  for (LoopSite const& loop : request.loops) {
    auto nest = nest_of(request, loop);
    if (!nest) return std::unexpected(nest.error());
    if (auto alone = only_writer(request.program, nest->site, kVerb); !alone)
      return std::unexpected(alone.error());
    look.written.insert(nest->store().buffer->name);
    nests.push_back(std::move(*nest));
  }
  look.form.count = *as_int(request.loops[0].loop->extent);
  for (RollingNest const& nest : nests)
    if (as_int(nest.loop.loop->extent) != look.form.count || look.form.count < 2)
      return refuse("extents_differ",
                    fmt::format("{} has {} iterations, and {} has {}: there must be equally many, "
                                "and more than one",
                                reference_of(request.program, nests[0].loop.loop->id),
                                look.form.count, reference_of(request.program, nest.loop.loop->id),
                                as_int(nest.loop.loop->extent).value_or(0)),
                    kNests, {nests[0].loop, nest.loop});
  look.form.maximum = nests[0];
  if (auto along = reduces(nests[0], BinaryOp::kMax, IterKind::kReduce); !along)
    return std::unexpected(along.error());
  if (reads_any(reduction_of(nests[0].block())->value, look.written))
    return refuse_block("not_a_rolling_sum", nests[0], "reads what another of the loops computes");
  for (size_t i = 1; i < nests.size(); ++i) {
    RollingPart part;
    part.nest = nests[i];
    auto added =
        nests[i].block().init ? add_sum(look, std::move(part)) : add_powers(look, std::move(part));
    if (!added) return std::unexpected(added.error());
  }
  if (auto inside = powers_stay_inside(look); !inside) return std::unexpected(inside.error());
  return look.form;
}

}  // namespace tw
