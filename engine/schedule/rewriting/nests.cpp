#include "engine/schedule/rewriting/nests.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/structure.h"

namespace tw {

using namespace ir;

namespace {

bool holds(Stmt const& s, std::vector<BlockId> const& blocks) {
  bool found = false;
  walk(s, [&](Stmt const& x) {
    if (auto const* block = x.as<Block>())
      found = found || std::find(blocks.begin(), blocks.end(), block->id) != blocks.end();
    return !found;
  });
  return found;
}

Stmt with_body(For const& loop, Stmt const& body) {
  return make_from<For>(loop.origin, loop.id, loop.var, loop.extent, loop.loop_kind, body,
                        loop.bind);
}

std::string free_among(std::string const& wanted, std::vector<std::string> const& taken) {
  std::string name = wanted;
  for (int number = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++number)
    name = fmt::format("{}_{}", wanted, number);
  return name;
}

/// "vy" iterates over what was the axis y.
std::string axis_of(IterVar const& iter) {
  std::string const& name = iter.name();
  return name.size() > 1 && name[0] == 'v' ? name.substr(1) : name;
}

class AllocRemoval : public Rewriter {
public:
  explicit AllocRemoval(std::string buffer) : buffer_(std::move(buffer)) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (auto const* alloc = s.as<Alloc>(); alloc && alloc->buffer->name == buffer_)
      return visit(alloc->body);
    return s.as<Block>() ? s : rebuild(s);
  }

private:
  std::string buffer_;
};

}  // namespace

Stmt without_block(Stmt const& s, BlockId block) {
  if (auto const* found = s.as<Block>()) return found->id == block ? Stmt() : s;
  if (auto const* loop = s.as<For>()) {
    Stmt body = without_block(loop->body, block);
    return !body ? Stmt() : body.same_as(loop->body) ? s : with_body(*loop, body);
  }
  if (auto const* alloc = s.as<Alloc>()) {
    Stmt body = without_block(alloc->body, block);
    return !body ? Stmt() : make_from<Alloc>(alloc->origin, alloc->buffer, body);
  }
  auto const* list = s.as<Seq>();
  if (!list) return s;
  std::vector<Stmt> kept;
  for (Stmt const& child : list->stmts)
    if (Stmt rest = without_block(child, block)) kept.push_back(rest);
  return kept.empty() ? Stmt() : seq(std::move(kept));
}

Stmt without_alloc(Stmt const& s, std::string const& buffer) {
  return AllocRemoval(buffer).visit(s);
}

Stmt with_alloc_beside(Stmt const& body, std::string const& tensor, Buffer const& more) {
  bool found = false;
  Stmt both = rewrite_stmts(body, [&](Stmt const& s) -> Stmt {
    auto const* alloc = s.as<Alloc>();
    if (!alloc || alloc->buffer->name != tensor) return nullptr;
    found = true;
    return make<Alloc>(more, s);
  });
  return found ? both : make<Alloc>(more, body);
}

Stmt insert_before(Stmt const& body, Stmt const& nest, std::vector<BlockId> const& blocks) {
  if (auto const* alloc = body.as<Alloc>())
    return make_from<Alloc>(alloc->origin, alloc->buffer, insert_before(alloc->body, nest, blocks));
  auto const* list = body.as<Seq>();
  if (!list) return seq({nest, body});
  std::vector<Stmt> stmts = list->stmts;
  auto at = std::ranges::find_if(stmts, [&](Stmt const& child) { return holds(child, blocks); });
  if (at == stmts.end())
    stmts.push_back(nest);
  else
    *at = insert_before(*at, nest, blocks);
  return seq(std::move(stmts));
}

Stmt insert_after(Stmt const& body, Stmt const& nest, std::vector<BlockId> const& blocks) {
  if (auto const* alloc = body.as<Alloc>())
    return make_from<Alloc>(alloc->origin, alloc->buffer, insert_after(alloc->body, nest, blocks));
  auto const* list = body.as<Seq>();
  if (!list) return seq({body, nest});
  std::vector<Stmt> stmts = list->stmts;
  auto at = std::find_if(stmts.rbegin(), stmts.rend(),
                         [&](Stmt const& child) { return holds(child, blocks); });
  if (at == stmts.rend())
    stmts.push_back(nest);
  else
    *at = insert_after(*at, nest, blocks);
  return seq(std::move(stmts));
}

Stmt append(Stmt const& body, Stmt const& nest) {
  if (auto const* alloc = body.as<Alloc>())
    return make_from<Alloc>(alloc->origin, alloc->buffer, append(alloc->body, nest));
  auto const* list = body.as<Seq>();
  if (!list || !list->stmts.back().as<Alloc>()) return seq({body, nest});
  std::vector<Stmt> stmts = list->stmts;
  stmts.back() = append(stmts.back(), nest);
  return seq(std::move(stmts));
}

void set_loop_body(Program& program, LoopId loop, Stmt const& body) {
  for (LoopSite const& site : loops_of(program.body))
    if (site.loop->id == loop) {
      program.body = replace_loop(program.body, loop, with_body(*site.loop, body));
      return;
    }
}

std::vector<arith::Interval> domains_of(BlockSite const& site) {
  arith::Ranges ranges = ranges_of(site.loops);
  std::vector<arith::Interval> domains;
  for (IterVar const& iter : site.block->iters) {
    arith::Interval domain{0, *as_int(iter.extent) - 1};
    if (auto taken = arith::bounds(iter.binding, ranges)) {
      arith::Interval part{std::max(domain.low, taken->low), std::min(domain.high, taken->high)};
      if (part.low <= part.high) domain = part;
    }
    domains.push_back(domain);
  }
  return domains;
}

Stmt nest_over(Block const& block, std::vector<Span> const& box,
               std::vector<For const*> const& around, std::vector<std::string> taken,
               Program& program, std::vector<arith::Interval> const& domains) {
  arith::Ranges ranges = ranges_of(around);
  for (For const* loop : around) taken.push_back(loop->name());
  for (IterVar const& iter : block.iters) taken.push_back(iter.name());
  std::vector<IterVar> iters = block.iters;
  std::vector<std::pair<Expr, int64_t>> loops;
  Expr guard;
  size_t next = 0;
  for (IterVar& iter : iters) {
    arith::Interval domain{0, *as_int(iter.extent) - 1};
    if (!domains.empty()) domain = domains[size_t(&iter - iters.data())];
    Span whole{int_imm(domain.low), domain.high - domain.low + 1};
    Span const& span = may_be_cut(block, iter) ? box[next++] : whole;
    iter.binding = span.base;
    for (Run const& run : runs_of(span)) {
      if (run.count == 1) continue;
      std::string name = free_among(axis_of(iter), taken);
      taken.push_back(name);
      ranges.set(name, {0, run.count - 1});
      loops.push_back({var(name), run.count});
      Expr counter = loops.back().first;
      iter.binding = iter.binding + (run.step == 1 ? counter : counter * int_imm(run.step));
    }
    for (Expr const& test :
         {int_imm(domain.low) <= iter.binding, iter.binding < int_imm(domain.high + 1)})
      if (!arith::always(test, ranges)) {
        Expr simple = arith::simplify(test, ranges);
        guard = guard ? guard && simple : simple;
      }
  }
  Stmt body = make_from<Block>(block.origin, block.id, block.name, block.op, std::move(iters),
                               guard, block.init, block.body);
  for (size_t i = loops.size(); i-- > 0;)
    body = make<For>(program.fresh_loop(), loops[i].first, int_imm(loops[i].second),
                     LoopKind::kSerial, body);
  return body;
}

}  // namespace tw
