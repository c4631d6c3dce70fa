#include "targets/vta/compiler/stages/nest.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw::vta {
namespace {

using namespace ir;

int64_t rounded_up(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

/// base + factor * loop >= 0 for all that stays.
void keep_where_positive(RunningLoop& loop, int64_t base, int64_t factor) {
  if (factor > 0)
    loop.low = std::max(loop.low, rounded_up(-base, factor));
  else
    loop.high = std::min(loop.high, -rounded_up(-base, -factor) + 1);
  loop.high = std::max(loop.high, loop.low);
}

void make_empty(std::vector<RunningLoop>& loops) {
  if (loops.empty()) loops.push_back({"", 0, 0});
  for (RunningLoop& loop : loops) loop.high = loop.low;
}

/// `form` >= 0
Status shorten_by(std::vector<RunningLoop>& loops, Form const& form, Expr const& condition) {
  std::vector<size_t> moving;
  for (size_t i = 0; i < loops.size(); ++i)
    if (form.factors[i] != 0) moving.push_back(i);
  if (moving.size() > 1)
    return refused("vta_guard",
                   fmt::format("'{}' speaks of two loops at once", to_text(condition)));
  if (moving.empty() && form.base < 0) make_empty(loops);
  if (!moving.empty()) keep_where_positive(loops[moving[0]], form.base, form.factors[moving[0]]);
  return {};
}

Form difference(Form a, Form const& b, int64_t less) {
  a.base -= b.base + less;
  for (size_t i = 0; i < a.factors.size(); ++i) a.factors[i] -= b.factors[i];
  return a;
}

/// Whether op(own, number) is `own` whatever that holds, which is of the type.
bool is_neutral(BinaryOp op, Expr const& number, DType type) {
  auto value = as_int(number);
  if (!value) return false;
  if (op == BinaryOp::kAdd) return *value == 0;
  if (type != DType::kI8) return false;
  return (op == BinaryOp::kMax && *value <= -128) || (op == BinaryOp::kMin && *value >= 127);
}

/// own = op(own, select(condition, value, neutral)) is own = op(own, value) where the condition
/// holds, also where bytes are widened: a window's steps into its padding.
void take_guard_out(Chain& chain) {
  auto const* store = chain.leaf.as<Store>();
  auto const* update = store ? store->value.as<Binary>() : nullptr;
  auto const* own = update ? update->a.as<Load>() : nullptr;
  auto const* widened = update ? update->b.as<Cast>() : nullptr;
  auto const* select = widened  ? widened->a.as<Select>()
                       : update ? update->b.as<Select>()
                                : nullptr;
  bool updates = own && select && own->buffer->name == store->buffer->name &&
                 std::ranges::equal(own->indices, store->indices,
                                    [](Expr const& a, Expr const& b) { return equal(a, b); });
  if (!updates || !is_neutral(update->op, select->b, store->buffer->type)) return;
  for (Expr const& one : conjuncts(select->condition)) chain.guards.push_back(one);
  Expr term = widened ? cast(widened->type, select->a) : select->a;
  chain.leaf = make_from<Store>(store->origin, store->buffer, store->indices,
                                binary(update->op, update->a, term));
}

}  // namespace

bool RunningNest::empty() const {
  return std::ranges::any_of(loops, [](RunningLoop const& one) { return one.extent() <= 0; });
}

std::optional<Chain> chain_of(Stmt const& s) {
  Chain chain;
  for (Stmt at = s;;) {
    if (auto const* loop = at.as<For>()) {
      if (loop->loop_kind == LoopKind::kBind || loop->loop_kind == LoopKind::kUnroll) return {};
      chain.loops.push_back(loop);
      at = loop->body;
    } else if (auto const* guard = at.as<If>(); guard && !guard->else_body) {
      for (Expr const& one : conjuncts(guard->condition)) chain.guards.push_back(one);
      at = guard->then_body;
    } else {
      bool leaf = at.as<Store>() || at.as<IntrinsicCall>();
      chain.leaf = at;
      if (leaf) take_guard_out(chain);
      return leaf ? std::optional(std::move(chain)) : std::nullopt;
    }
  }
}

Status shorten(std::vector<RunningLoop>& loops, Expr const& condition, Indices& indices,
               Standing const& standing) {
  for (Expr const& one : conjuncts(condition)) {
    auto const* compared = one.as<Binary>();
    bool known = compared && (compared->op == BinaryOp::kLt || compared->op == BinaryOp::kLe ||
                              compared->op == BinaryOp::kEq);
    if (!known) {
      auto value = value_of(one, standing);
      if (!value) return refused("vta_guard", fmt::format("'{}' is no comparison", to_text(one)));
      if (*value == 0) make_empty(loops);
      continue;
    }
    TRY_ASSIGN(Form a, indices.form(compared->a, loops, standing));
    TRY_ASSIGN(Form b, indices.form(compared->b, loops, standing));
    TRY(shorten_by(loops, difference(b, a, compared->op == BinaryOp::kLt), one));
    if (compared->op == BinaryOp::kEq) TRY(shorten_by(loops, difference(a, b, 0), one));
  }
  return {};
}

Result<RunningNest> nest_of(Chain const& chain, Indices& indices, Standing const& standing) {
  RunningNest nest;
  for (For const* loop : chain.loops) {
    auto extent = value_of(loop->extent, standing);
    if (!extent)
      return refused("unknown_size", fmt::format("the loop {} has an extent that changes inside of "
                                                 "its nest",
                                                 loop->name()));
    nest.loops.push_back({loop->name(), 0, *extent});
  }
  for (Expr const& guard : chain.guards) TRY(shorten(nest.loops, guard, indices, standing));
  return nest;
}

}  // namespace tw::vta
