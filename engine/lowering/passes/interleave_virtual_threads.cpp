// vthread v in 2: { S(v); for k: F(v, k) }   -->   S(0); S(1); for k: { F(0, k); F(1, k) }
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/common_tensors.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

/// Names of everything in a function.
std::set<std::string> names_in(Function const& function) {
  std::set<std::string> names;
  for (Buffer const& param : function.params) names.insert(param->name);
  walk(function.body, [&](Stmt const& s) {
    if (auto const* loop = s.as<For>()) names.insert(loop->name());
    if (auto const* let = s.as<Let>()) names.insert(let->var.to<Variable>().name);
    if (auto const* alloc = s.as<Alloc>()) names.insert(alloc->buffer->name);
    return true;
  });
  return names;
}

/// One iteration: what stands for its variables, and which tensors are its own.
struct Instance {
  Substitution variables;
  std::map<std::string, Buffer> tensors;

  Expr of(Expr const& e) const { return arith::simplify(renamed(e)); }
  Stmt of(Stmt const& s) const { return arith::simplify(renamed(s)); }

private:
  Expr renamed(Expr const& e) const {
    return rewrite(substitute(e, variables), [&](Expr const& x) -> Expr {
      auto const* read = x.as<Load>();
      auto own = read ? tensors.find(read->buffer->name) : tensors.end();
      return own == tensors.end() ? Expr() : load(own->second, read->indices);
    });
  }
  Stmt renamed(Stmt const& s) const {
    Stmt result = substitute(s, variables);
    for (auto const& [name, tensor] : tensors) result = replace_buffer(result, name, tensor);
    return result;
  }
};

/// The body of one loop of virtual threads. Each keeps the order of what it does; that they may be
/// mixed in any way was proved when the loop was bound: none touches what another one writes.
class Interleaving {
public:
  /// `common`: tensors that are there once for all.
  Interleaving(For const& loop, int64_t extent, std::set<std::string> common,
               std::set<std::string>& names)
      : common_(std::move(common)), names_(names) {
    told_.insert(loop.name());
    for (int64_t i = 0; i < extent; ++i) instances_.push_back({{{loop.name(), int_imm(i)}}, {}});
  }

  Stmt visit(Stmt const& s) {
    if (auto const* list = s.as<Seq>()) return visit_list(*list);
    if (auto const* loop = s.as<For>(); loop && !is_told(loop->extent))
      return make_from<For>(s->origin, loop->id, loop->var, loop->extent, loop->loop_kind,
                            visit(loop->body), loop->bind);
    if (auto const* node = s.as<If>(); node && !is_told(node->condition))
      return make_from<If>(s->origin, node->condition, visit(node->then_body),
                           node->else_body ? visit(node->else_body) : Stmt());
    if (auto const* alloc = s.as<Alloc>(); alloc && common_.contains(alloc->buffer->name))
      return make_from<Alloc>(s->origin, alloc->buffer, visit(alloc->body));
    if (auto const* alloc = s.as<Alloc>()) return visit_alloc(*alloc);
    if (auto const* let = s.as<Let>()) return visit_let(*let);
    if (auto const* call = s.as<IntrinsicCall>(); call && orders_all(*call)) return s;
    if (writes_common(s)) return s;
    return copies(s);
  }

private:
  /// It may be another one in each instance.
  bool is_told(Expr const& e) const {
    bool told = false;
    walk(e, [&](Expr const& part) {
      auto const* used = part.as<Variable>();
      told = told || part.as<Load>() || (used && told_.contains(used->name));
      return !told;
    });
    return told;
  }

  /// A barrier, a commit or a wait: one is enough for all instances, which are at the same place.
  bool orders_all(IntrinsicCall const& call) const {
    return !call.intrinsic->behaviour &&
           std::ranges::none_of(call.operands,
                                [&](Operand const& operand) { return is_told(operand.value); });
  }

  bool writes_common(Stmt const& s) const {
    bool common = false;
    walk_writes(s,
                [&](Touched const& at) { common = common || common_.contains(at.buffer->name); });
    return common;
  }

  std::string free_name(std::string const& name, size_t instance) {
    std::string wanted = fmt::format("{}_v{}", name, instance);
    while (!names_.insert(wanted).second) wanted += "_";
    return wanted;
  }

  Stmt visit_list(Seq const& list) {
    std::vector<Stmt> stmts;
    for (Stmt const& child : list.stmts) stmts.push_back(visit(child));
    return seq(std::move(stmts));
  }

  Stmt visit_alloc(Alloc const& alloc) {
    for (size_t i = 0; i < instances_.size(); ++i) {
      BufferNode node = *alloc.buffer;
      node.name = free_name(node.name, i);
      for (Expr& extent : node.shape) extent = instances_[i].of(extent);
      instances_[i].tensors[alloc.buffer->name] = std::make_shared<BufferNode const>(node);
    }
    Stmt body = visit(alloc.body);
    for (size_t i = instances_.size(); i-- > 0;) {
      auto own = instances_[i].tensors.extract(alloc.buffer->name);
      body = make_from<Alloc>(alloc.origin, own.mapped(), body);
    }
    return body;
  }

  Stmt visit_let(Let const& let) {
    std::string const& name = let.var.to<Variable>().name;
    if (!is_told(let.value)) return make_from<Let>(let.origin, let.var, let.value, visit(let.body));
    std::vector<Expr> values, own;
    for (size_t i = 0; i < instances_.size(); ++i) {
      values.push_back(instances_[i].of(let.value));
      own.push_back(var(free_name(name, i), let.var.type()));
      instances_[i].variables[name] = own.back();
    }
    told_.insert(name);
    Stmt body = visit(let.body);
    told_.erase(name);
    for (size_t i = instances_.size(); i-- > 0;) {
      instances_[i].variables.erase(name);
      body = make_from<Let>(let.origin, own[i], values[i], body);
    }
    return body;
  }

  Stmt copies(Stmt const& s) const {
    std::vector<Stmt> stmts;
    for (Instance const& one : instances_) stmts.push_back(one.of(s));
    return seq(std::move(stmts));
  }

  std::vector<Instance> instances_;
  std::set<std::string> common_;
  std::set<std::string> told_;  ///< variables that differ from instance to instance
  std::set<std::string>& names_;
};

class Expanding : public Rewriter {
public:
  Expanding(Target const& target, std::set<std::string> names)
      : target_(target), names_(std::move(names)) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    auto const* loop = next.as<For>();
    ThreadAxis const* axis = loop ? axis_of(target_, *loop) : nullptr;
    auto extent = axis && axis->interleaved ? as_int(loop->extent) : std::nullopt;
    if (!extent) return next;
    std::set<std::string> common =
        axis->shares_alike ? common_tensors(*loop) : std::set<std::string>();
    return Interleaving(*loop, *extent, std::move(common), names_).visit(loop->body);
  }

private:
  Target const& target_;
  std::set<std::string> names_;
};

Result<KernelIr> run_interleave_virtual_threads(KernelIr const& kernel,
                                                PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    next.body = Expanding(context.target, names_in(function)).visit(function.body);
    return next;
  });
}

}  // namespace

Pass interleave_virtual_threads() {
  return {"interleave_virtual_threads",
          "Interleaves the iterations of virtual threads, statement by statement",
          "after tensors were compacted: each virtual thread has instances of its own, as small as "
          "it needs them",
          run_interleave_virtual_threads,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode},
           .gives_up = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
