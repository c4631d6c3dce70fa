// for r: unroll x in 4: if 1 <= y*4+x+r: S   -->   if 1 <= y*4: for r: unroll x in 4: S;  else: as
// it was
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// Versions are code twice: not for a test that holds for less than this share of the tiles.
constexpr double kLeastShare = 0.5;
constexpr int kMostStatements = 4096;

/// Holds where `difference` is at most `limit`.
struct Bound {
  arith::Linear difference;
  int64_t limit = 0;
};

std::optional<Bound> bound_of(Expr const& e) {
  auto const* node = e.as<Binary>();
  if (!node || node->a.type() != DType::kI64 ||
      (node->op != BinaryOp::kLt && node->op != BinaryOp::kLe))
    return std::nullopt;
  return Bound{arith::add(arith::to_linear(node->a), arith::to_linear(node->b), -1),
               node->op == BinaryOp::kLt ? -1 : 0};
}

/// Terms with a positive factor on the left, the others on the right.
Expr condition_of(Bound const& bound) {
  arith::Linear left, right;
  for (arith::Linear::Term const& term : bound.difference.terms)
    term.factor > 0 ? left.terms.push_back(term) : right.terms.push_back({term.term, -term.factor});
  int64_t limit = bound.limit - bound.difference.constant;
  (left.terms.empty() ? left : right).constant = left.terms.empty() ? -limit : limit;
  return arith::to_expr(left) <= arith::to_expr(right);
}

/// The loops of a nest that a test stands before.
using Running = std::map<std::string, arith::Interval>;

bool speaks_of(Expr const& e, Running const& running) {
  return std::ranges::any_of(running,
                             [&](auto const& loop) { return uses_variable(e, loop.first); });
}

/// Where a condition holds for all iterations of the loops of `running`: an expression of the loops
/// around. None where a term speaks of both.
std::optional<Bound> for_all(Bound const& bound, Running const& running,
                             arith::Ranges const& around) {
  arith::Ranges ranges = around;
  for (auto const& [name, range] : running) ranges.set(name, range);
  arith::Linear inner, outer;
  outer.constant = bound.difference.constant;
  for (arith::Linear::Term const& term : bound.difference.terms)
    (speaks_of(term.term, running) ? inner : outer).terms.push_back(term);
  auto reach = arith::bounds(arith::to_expr(inner), ranges);
  if (!reach) return std::nullopt;
  return Bound{std::move(outer), bound.limit - reach->high};
}

bool is_written_at(Stmt const& s, std::string const& variable) {
  bool used = false;
  walk_writes(s, [&](Touched const& write) {
    for (Expr const& index : write.indices) used = used || uses_variable(index, variable);
  });
  return used;
}

int count_stores(Stmt const& s) {
  int count = 0;
  walk(s, [&](Stmt const& x) { return count += x.as<Store>() != nullptr, true; });
  return count;
}

bool reads_tensors(Expr const& e) {
  bool reads = false;
  walk(e, [&](Expr const& part) { return reads = reads || part.as<Load>(), !reads; });
  return reads;
}

/// A nest without the conditions in its unrolled loops, and where they all hold.
class WithoutConditions {
public:
  explicit WithoutConditions(arith::Ranges const& around) : around_(around) {}
  std::vector<Bound> test;

  Stmt statement(Stmt const& s) {
    if (auto const* loop = s.as<For>()) return below(*loop, s);
    if (auto const* choice = s.as<If>()) return below(*choice, s);
    if (auto const* alloc = s.as<Alloc>())
      return make_from<Alloc>(s->origin, alloc->buffer, statement(alloc->body));
    auto const* list = s.as<Seq>();
    if (!list) return s;
    std::vector<Stmt> stmts;
    for (Stmt const& child : list->stmts) stmts.push_back(statement(child));
    return make_from<Seq>(s->origin, std::move(stmts));
  }

private:
  /// Not below loops that write each iteration's own elements: each is a tile by itself.
  Stmt below(For const& loop, Stmt const& s) {
    auto extent = as_int(loop.extent);
    bool copies = loop.loop_kind == LoopKind::kUnroll || loop.loop_kind == LoopKind::kVector;
    bool adds = loop.loop_kind == LoopKind::kSerial && !is_written_at(loop.body, loop.name());
    if (!extent || (!copies && !adds)) return s;
    running_[loop.name()] = {0, *extent - 1};
    unrolled_ += copies ? 1 : 0;
    Stmt body = statement(loop.body);
    unrolled_ -= copies ? 1 : 0;
    running_.erase(loop.name());
    return make_from<For>(s->origin, loop.id, loop.var, loop.extent, loop.loop_kind, body,
                          loop.bind);
  }

  Stmt below(If const& choice, Stmt const& s) {
    Stmt body = statement(choice.then_body);
    if (choice.else_body)
      return make_from<If>(s->origin, choice.condition, body, statement(choice.else_body));
    Expr left;
    for (Expr const& part : conjuncts(choice.condition))
      if (!tested(part)) left = left ? left && part : part;
    return left ? make_from<If>(s->origin, left, body) : body;
  }

  bool tested(Expr const& condition) {
    if (unrolled_ == 0 || reads_tensors(condition) || !speaks_of(condition, running_)) return false;
    auto bound = bound_of(condition);
    auto whole = bound ? for_all(*bound, running_, around_) : std::nullopt;
    if (!whole || whole->difference.is_constant()) return false;
    test.push_back(std::move(*whole));
    return true;
  }

  arith::Ranges const& around_;
  Running running_;
  int unrolled_ = 0;
};

int64_t ceil_div(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// How large a part of the tiles passes; tests of several loops at once are taken to.
double share(std::vector<Bound> const& test, arith::Ranges const& around) {
  std::map<std::string, arith::Interval> passing;
  for (Bound const& bound : test) {
    if (bound.difference.terms.size() != 1) continue;
    auto const& [term, factor] = bound.difference.terms.front();
    auto const* variable = term.as<Variable>();
    auto range = variable ? around.find(variable->name) : std::nullopt;
    if (!range) continue;
    arith::Interval& left = passing.try_emplace(variable->name, *range).first->second;
    int64_t limit = bound.limit - bound.difference.constant;
    if (factor > 0) left.high = std::min(left.high, floor_div(limit, factor));
    if (factor < 0) left.low = std::max(left.low, ceil_div(-limit, -factor));
  }
  double passes = 1;
  for (auto const& [name, left] : passing) {
    auto range = around.find(name);
    passes *= std::max<double>(0, double(left.high - left.low + 1)) /
              double(range->high - range->low + 1);
  }
  return passes;
}

Expr condition_of(std::vector<Bound> const& test) {
  std::vector<Expr> conditions;
  for (Bound const& bound : test) {
    Expr condition = condition_of(bound);
    bool known =
        std::ranges::any_of(conditions, [&](Expr const& one) { return equal(one, condition); });
    if (!known) conditions.push_back(std::move(condition));
  }
  Expr all;
  for (Expr const& one : conditions) all = all ? all && one : one;
  return all;
}

/// Loops of a sum that were to be unrolled are not: code for the few tiles that need conditions.
Stmt rolled(Stmt const& s) {
  return rewrite_stmts(s, [](Stmt const& x) -> Stmt {
    auto const* loop = x.as<For>();
    bool unrolled = loop && loop->loop_kind == LoopKind::kUnroll;
    if (!unrolled || is_written_at(loop->body, loop->name())) return nullptr;
    return make_from<For>(loop->origin, loop->id, loop->var, loop->extent, LoopKind::kSerial,
                          loop->body, loop->bind);
  });
}

class Versioning : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }

  Stmt visit(Stmt const& s) override {
    auto const* loop = s.as<For>();
    auto extent = loop ? as_int(loop->extent) : std::nullopt;
    if (!extent) return rebuild(s);
    if (Stmt versions = in_versions(*loop, s)) return versions;
    ranges_.set(loop->name(), {0, *extent - 1});
    Stmt next = rebuild(s);
    ranges_.erase(loop->name());
    return next;
  }

private:
  /// Null where one version is enough.
  Stmt in_versions(For const& loop, Stmt const& s) {
    bool adds = (loop.loop_kind == LoopKind::kSerial || loop.loop_kind == LoopKind::kUnroll) &&
                !is_written_at(loop.body, loop.name());
    if (!adds || statements_ > kMostStatements) return nullptr;
    WithoutConditions fast(ranges_);
    Stmt body = fast.statement(s);
    if (fast.test.empty() || share(fast.test, ranges_) < kLeastShare) return nullptr;
    statements_ += count_stores(s);
    return make_from<If>(loop.origin, condition_of(fast.test), body, rolled(s));
  }

  arith::Ranges ranges_;
  int statements_ = 0;
};

Result<KernelIr> run(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, [](Stmt const& body) { return Versioning().visit(body); });
}

}  // namespace

Pass version_loops() {
  return {
      "version_loops",
      "Tests once before a reduction whether the conditions in its unrolled loops hold for the "
      "whole tile, and runs the loops without them where they do",
      "after updates are guarded, and before unrolling: a test for a tile, not for each element",
      run,
      {.needs = {Invariant::kNoBlocks}, .gives_up = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
