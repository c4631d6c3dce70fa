#include "engine/ir/inlined_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

/// Parameters of an intrinsic replaced by the operands of a call.
class Inlining : public Rewriter {
public:
  explicit Inlining(IntrinsicCall const& call) {
    for (size_t i = 0; i < call.operands.size(); ++i) {
      IntrinsicParam const& param = call.intrinsic->params[i];
      if (param.buffer)
        operands_[param.name()] = &call.operands[i];
      else
        scalars_[param.name()] = call.operands[i].value;
    }
  }

  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    if (auto const* v = next.as<Variable>())
      if (auto found = scalars_.find(v->name); found != scalars_.end()) return found->second;
    auto const* read = next.as<Load>();
    if (!read || !operands_.contains(read->buffer->name)) return next;
    return load(element(*read->buffer).buffer, indices(*read->buffer, read->indices));
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    auto const* store = next.as<Store>();
    if (!store || !operands_.contains(store->buffer->name)) return next;
    return make<Store>(element(*store->buffer).buffer, indices(*store->buffer, store->indices),
                       store->value);
  }

private:
  Load const& element(BufferNode const& param) const {
    return operands_.at(param.name)->value.to<Load>();
  }
  std::vector<Expr> indices(BufferNode const& param, std::vector<Expr> const& at) const {
    Operand const& operand = *operands_.at(param.name);
    Substitution axes;
    for (size_t d = 0; d < at.size(); ++d) axes[operand.axes[d].name()] = at[d];
    std::vector<Expr> result;
    for (Expr const& index : element(param).indices) result.push_back(substitute(index, axes));
    return result;
  }

  std::map<std::string, Operand const*> operands_;
  Substitution scalars_;
};

}  // namespace

Stmt with_own_loops(Stmt const& behaviour, std::string const& prefix) {
  int loops = 0;
  return rewrite_stmts(behaviour, [&](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    if (!loop) return nullptr;
    Expr own = var(fmt::format("{}.{}.{}", prefix, loop->name(), ++loops));
    return make<For>(loop->id, own, loop->extent, loop->loop_kind,
                     substitute(loop->body, {{loop->name(), own}}));
  });
}

Stmt inlined(IntrinsicCall const& call, std::string const& prefix) {
  Stmt const& behaviour = call.intrinsic->behaviour;
  return behaviour ? Inlining(call).visit(with_own_loops(behaviour, prefix)) : nullptr;
}

bool overlaps_itself(IntrinsicCall const& call) {
  auto tensor = [&](size_t i) { return call.operands[i].value.to<Load>().buffer->name; };
  auto const& params = call.intrinsic->params;
  for (size_t i = 0; i < params.size(); ++i)
    for (size_t j = 0; params[i].writes() && j < params.size(); ++j)
      if (i != j && params[j].buffer && tensor(i) == tensor(j)) return true;
  return false;
}

}  // namespace tw::ir
