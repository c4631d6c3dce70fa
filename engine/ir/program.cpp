#include "engine/ir/program.h"

#include <algorithm>

#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

/// Visits statements with the loops around them.
void descend(Stmt const& s, std::vector<For const*>& around,
             std::function<void(Stmt const&, std::vector<For const*> const&)> const& f) {
  f(s, around);
  For const* loop = s.as<For>();
  if (loop) around.push_back(loop);
  auto down = [&](auto const& field) {
    using T = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<T, Stmt>) {
      if (field) descend(field, around, f);
    } else if constexpr (std::is_same_v<T, std::vector<Stmt>>) {
      for (Stmt const& child : field) descend(child, around, f);
    }
  };
  dispatch(*s, [&](auto const& node) { for_each_field(node, down); });
  if (loop) around.pop_back();
}

struct Replacer : Rewriter {
  std::function<bool(Stmt const&)> matches;
  Stmt by;
  Expr visit(Expr const& e) override { return e; }
  /// Statements that take the place of one in a sequence become a part of it.
  Stmt visit(Stmt const& s) override {
    if (matches(s)) return by;
    Stmt next = rebuild(s);
    auto const* list = next.as<Seq>();
    bool nested = list && std::ranges::any_of(list->stmts, [](Stmt const& child) {
                    return child.as<Seq>() != nullptr;
                  });
    return nested ? seq(list->stmts) : next;
  }
};

}  // namespace

Stmt seq(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  for (Stmt& s : stmts) {
    if (!s) continue;
    if (auto const* inner = s.as<Seq>())
      flat.insert(flat.end(), inner->stmts.begin(), inner->stmts.end());
    else
      flat.push_back(std::move(s));
  }
  return flat.size() == 1 ? flat.front() : make<Seq>(std::move(flat));
}

Result<KernelIr> rewrite_functions(KernelIr const& kernel,
                                   std::function<Result<Function>(Function const&)> const& f) {
  KernelIr result;
  TRY_ASSIGN(result.host, f(kernel.host));
  for (Function const& function : kernel.device) {
    TRY_ASSIGN(Function next, f(function));
    result.device.push_back(std::move(next));
  }
  return result;
}

KernelIr rewrite_bodies(KernelIr const& kernel, std::function<Stmt(Stmt const&)> const& f) {
  KernelIr result = kernel;
  result.host.body = f(kernel.host.body);
  for (Function& function : result.device) function.body = f(function.body);
  return result;
}

void for_each_function(KernelIr const& kernel, std::function<void(Function const&)> const& f) {
  f(kernel.host);
  for (Function const& function : kernel.device) f(function);
}

std::vector<LoopSite> loops_of(Stmt const& body) {
  std::vector<LoopSite> sites;
  std::vector<For const*> around;
  descend(body, around, [&](Stmt const& s, std::vector<For const*> const& loops) {
    if (auto const* loop = s.as<For>()) sites.push_back({loop, loops});
  });
  return sites;
}

std::vector<BlockSite> blocks_of(Stmt const& body) {
  std::vector<BlockSite> sites;
  std::vector<For const*> around;
  descend(body, around, [&](Stmt const& s, std::vector<For const*> const& loops) {
    if (auto const* block = s.as<Block>()) sites.push_back({block, loops});
  });
  return sites;
}

Stmt replace_loop(Stmt const& body, LoopId id, Stmt const& by) {
  Replacer replacer;
  replacer.by = by;
  replacer.matches = [&](Stmt const& s) {
    auto const* loop = s.as<For>();
    return loop && loop->id == id;
  };
  return replacer.visit(body);
}

Stmt replace_block(Stmt const& body, BlockId id, Stmt const& by) {
  Replacer replacer;
  replacer.by = by;
  replacer.matches = [&](Stmt const& s) {
    auto const* block = s.as<Block>();
    return block && block->id == id;
  };
  return replacer.visit(body);
}

std::optional<ReductionInfo> reduction_of(Block const& block) {
  auto const* store = block.body.as<Store>();
  bool reduces = std::any_of(block.iters.begin(), block.iters.end(),
                             [](IterVar const& iter) { return iter.kind == IterKind::kReduce; });
  if (!store || !(block.init || reduces)) return std::nullopt;
  auto const* update = store->value.as<Binary>();
  if (!update) return std::nullopt;
  bool associative = update->op == BinaryOp::kAdd || update->op == BinaryOp::kMul ||
                     update->op == BinaryOp::kMin || update->op == BinaryOp::kMax;
  auto const* old = update->a.as<Load>();
  if (!associative || !old || old->buffer->name != store->buffer->name) return std::nullopt;
  for (size_t i = 0; i < store->indices.size(); ++i)
    if (!equal(old->indices[i], store->indices[i])) return std::nullopt;
  bool reads_itself = false;
  walk(update->b, [&](Expr const& e) {
    if (auto const* read = e.as<Load>()) reads_itself |= read->buffer->name == store->buffer->name;
    return true;
  });
  if (reads_itself) return std::nullopt;
  return ReductionInfo{update->op, update->b, store};
}

}  // namespace tw::ir
