// for i in 8: if T == 8: S; for i in T: if T != 8: R   -->   if T == 8: for i in 8: S
//                                                            else: for i in T: R
#include <algorithm>
#include <set>

#include "engine/ir/annotations.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

Stmt nothing() { return seq({}); }
bool is_nothing(Stmt const& s) {
  auto const* list = s.as<Seq>();
  return list && list->stmts.empty();
}

/// A statement, and the conditions on sizes alone that it runs under.
struct Branch {
  std::vector<Expr> conditions;
  Stmt stmt;
};

bool same(Expr const& a, Expr const& b) { return a.same_as(b) || equal(a, b); }

/// x == c and x != c
bool are_opposite(Expr const& a, Expr const& b) {
  auto const *x = a.as<Binary>(), *y = b.as<Binary>();
  bool opposite = x && y &&
                  ((x->op == BinaryOp::kEq && y->op == BinaryOp::kNe) ||
                   (x->op == BinaryOp::kNe && y->op == BinaryOp::kEq));
  return opposite && same(x->a, y->a) && same(x->b, y->b);
}

/// Statements one after the other: neighbours under one condition come under it together, and
/// neighbours under opposite ones become the two sides of one.
Stmt joined(std::vector<Branch> branches) {
  std::vector<std::pair<Expr, Stmt>> groups;  // condition (null: none) and what runs under it
  for (size_t i = 0; i < branches.size();) {
    if (branches[i].conditions.empty()) {
      groups.emplace_back(nullptr, branches[i++].stmt);
      continue;
    }
    Expr condition = branches[i].conditions.front();
    std::vector<Branch> inside;
    for (; i < branches.size() && !branches[i].conditions.empty() &&
           same(branches[i].conditions.front(), condition);
         ++i) {
      branches[i].conditions.erase(branches[i].conditions.begin());
      inside.push_back(std::move(branches[i]));
    }
    groups.emplace_back(condition, joined(std::move(inside)));
  }
  std::vector<Stmt> stmts;
  for (size_t i = 0; i < groups.size(); ++i) {
    auto const& [condition, stmt] = groups[i];
    if (!condition) {
      stmts.push_back(stmt);
      continue;
    }
    bool both = i + 1 < groups.size() && groups[i + 1].first &&
                are_opposite(condition, groups[i + 1].first);
    stmts.push_back(make_from<If>(without_words(stmt->origin), condition, stmt,
                                  both ? groups[i + 1].second : Stmt()));
    i += both;
  }
  return seq(std::move(stmts));
}

class Branching {
public:
  explicit Branching(std::vector<SizeParam> const& sizes) {
    for (SizeParam const& size : sizes) sizes_.insert(size.var.to<Variable>().name);
  }

  Stmt run(Stmt const& body) { return joined({lifted(body)}); }

private:
  Branch lifted(Stmt const& s) {
    if (auto const* list = s.as<Seq>()) return of_list(*list, s);
    if (auto const* test = s.as<If>()) return of_condition(*test, s);
    if (auto const* loop = s.as<For>())
      return around(loop->body, s, [&](Stmt const& body) {
        return make_from<For>(loop->origin, loop->id, loop->var, loop->extent, loop->loop_kind,
                              body, loop->bind);
      });
    if (auto const* alloc = s.as<Alloc>())
      return around(alloc->body, s, [&](Stmt const& body) {
        return make_from<Alloc>(alloc->origin, alloc->buffer, body);
      });
    if (auto const* let = s.as<Let>())
      return around(let->body, s, [&](Stmt const& body) {
        return make_from<Let>(let->origin, let->var, let->value, body);
      });
    return {{}, s};
  }

  template <typename Make>
  Branch around(Stmt const& body, Stmt const& s, Make const& made) {
    Branch inner = lifted(body);
    if (is_nothing(inner.stmt)) return {{}, nothing()};
    return {std::move(inner.conditions), inner.stmt.same_as(body) ? s : made(inner.stmt)};
  }

  /// What all of the statements run under.
  Branch of_list(Seq const& list, Stmt const& s) {
    std::vector<Branch> branches;
    bool unchanged = true;
    for (Stmt const& child : list.stmts) {
      branches.push_back(lifted(child));
      unchanged =
          unchanged && branches.back().conditions.empty() && branches.back().stmt.same_as(child);
    }
    std::erase_if(branches, [](Branch const& one) { return is_nothing(one.stmt); });
    if (unchanged && branches.size() == list.stmts.size()) return {{}, s};
    if (branches.empty()) return {{}, nothing()};
    std::vector<Expr> common;
    while (std::ranges::all_of(branches, [&](Branch const& one) {
      return one.conditions.size() > common.size() &&
             same(one.conditions[common.size()], branches[0].conditions[common.size()]);
    }))
      common.push_back(branches[0].conditions[common.size()]);
    for (Branch& one : branches)
      one.conditions.erase(one.conditions.begin(), one.conditions.begin() + int64_t(common.size()));
    return {std::move(common), joined(std::move(branches))};
  }

  Branch of_condition(If const& test, Stmt const& s) {
    if (test.else_body) {
      Stmt yes = run(test.then_body), no = run(test.else_body);
      if (yes.same_as(test.then_body) && no.same_as(test.else_body)) return {{}, s};
      return {{}, make_from<If>(test.origin, test.condition, yes, no)};
    }
    Branch branch;
    Expr rest;
    for (Expr const& part : conjuncts(test.condition)) {
      if (speaks_of_sizes(part))
        branch.conditions.push_back(part);
      else
        rest = rest ? rest && part : part;
    }
    Branch inner = lifted(test.then_body);
    if (is_nothing(inner.stmt)) return {{}, nothing()};
    bool unchanged = branch.conditions.empty() && inner.stmt.same_as(test.then_body);
    branch.conditions.insert(branch.conditions.end(), inner.conditions.begin(),
                             inner.conditions.end());
    branch.stmt = unchanged ? s : rest ? make_from<If>(test.origin, rest, inner.stmt) : inner.stmt;
    return branch;
  }

  /// Of them alone: what is read, and counters, may change from iteration to iteration.
  bool speaks_of_sizes(Expr const& condition) const {
    bool some = false, others = false;
    walk(condition, [&](Expr const& e) {
      auto const* variable = e.as<Variable>();
      if (variable) (sizes_.contains(variable->name) ? some : others) = true;
      others = others || e.as<Load>();
      return !others;
    });
    return some && !others;
  }

  std::set<std::string> sizes_;
};

Result<KernelIr> run_unswitch_symbolic(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, [](Function const& function) -> Result<Function> {
    Function next = function;
    next.body = Branching(function.sizes).run(function.body);
    return next;
  });
}

}  // namespace

Pass unswitch_symbolic() {
  return {"unswitch_symbolic",
          "Unswitches loops on symbolic-size conditions, opposite ones as one if-else, and removes "
          "loops that do nothing",
          "after guards were simplified, which shows what never runs, and before tensors shrink "
          "and loops are bounded, which both look at the rest",
          run_unswitch_symbolic,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
