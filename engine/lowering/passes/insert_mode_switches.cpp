// call a() [needs mode = 1]; for i: call b() [needs mode = 2]   -->   call set_mode(1); call a();
// call set_mode(2); for i: call b()
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "engine/lowering/registers.h"

namespace tw {
namespace {

using namespace ir;

/// What a statement needs of one register.
struct Need {
  Expr value;        ///< of the first call; null: none in these threads
  bool one = true;   ///< all calls need the same
  bool set = false;  ///< some call in it sets the register
};

class Needs {
public:
  static std::map<std::string, Need> of(Stmt const& root) {
    Needs needs;
    walk(root, [&](Stmt const& s) {
      if (auto const* loop = s.as<For>()) {
        needs.bound_.insert(loop->name());
        if (runs_elsewhere(*loop)) needs.add_elsewhere(of(loop->body));
        return !runs_elsewhere(*loop);
      }
      if (auto const* let = s.as<Let>()) needs.bound_.insert(let->var.to<Variable>().name);
      if (auto const* call = s.as<IntrinsicCall>()) needs.add(*call);
      return true;
    });
    return std::move(needs.needs_);
  }

private:
  void add(IntrinsicCall const& call) {
    for (auto const& [name, value] : registers_of(call, call.intrinsic->needs)) {
      Need& need = needs_[name];
      bool same = !need.value || equal(need.value, value);
      need.one = need.one && same && !uses_bound(value);
      if (!need.value) need.value = value;
    }
    for (RegisterValue const& one : call.intrinsic->sets) needs_[one.name].set = true;
  }
  /// Whoever runs it sets its own registers.
  void add_elsewhere(std::map<std::string, Need> const& there) {
    for (auto const& [name, need] : there) {
      Need& here = needs_[name];
      here.one = false;
      here.set = here.set || need.set;
    }
  }
  /// Its counter is not known yet outside of the loop. (A loop's name may stand elsewhere, too.)
  bool uses_bound(Expr const& value) const {
    return std::ranges::any_of(bound_,
                               [&](std::string const& name) { return uses_variable(value, name); });
  }

  std::set<std::string> bound_;
  std::map<std::string, Need> needs_;
};

class Setting {
public:
  explicit Setting(Target const& target) : target_(target) {}

  Stmt visit(Stmt const& s, RegisterState& held) {
    std::vector<Stmt> before;
    auto const* loop = s.as<For>();
    if (!(loop && runs_elsewhere(*loop)) && !s.as<Seq>() && !s.as<If>())
      for (auto const& [name, need] : Needs::of(s))
        if (need.one && !need.set) hold(name, need.value, held, before);
    before.push_back(below(s, held));
    return seq(std::move(before));
  }

  Status const& status() const { return status_; }

private:
  void hold(std::string const& name, Expr const& value, RegisterState& held,
            std::vector<Stmt>& before) {
    if (auto there = held.find(name); there != held.end() && equal(there->second, value)) return;
    held[name] = value;
    auto setter = std::ranges::find_if(target_.configure, [&](Intrinsic const& one) {
      return one->sets.size() == 1 && one->sets[0].name == name;
    });
    if (setter != target_.configure.end()) {
      before.push_back(make<IntrinsicCall>(*setter, std::vector<Operand>{{value, {}}}));
    } else if (status_) {
      status_ = refused(
          "no_such_register",
          fmt::format("no instruction of the target {} sets the register {}", target_.name, name));
    }
  }

  Stmt below(Stmt const& s, RegisterState& held) {
    if (auto const* list = s.as<Seq>()) {
      std::vector<Stmt> stmts;
      for (Stmt const& child : list->stmts) stmts.push_back(visit(child, held));
      return make_from<Seq>(s->origin, std::move(stmts));
    }
    if (auto const* loop = s.as<For>()) return in_loop(*loop, held);
    if (auto const* node = s.as<If>()) return in_branches(*node, held);
    if (auto const* alloc = s.as<Alloc>())
      return make_from<Alloc>(s->origin, alloc->buffer, visit(alloc->body, held));
    if (auto const* let = s.as<Let>()) {
      Stmt body = visit(let->body, held);
      forget(held, let->var.to<Variable>().name);
      return make_from<Let>(s->origin, let->var, let->value, body);
    }
    if (auto const* call = s.as<IntrinsicCall>()) run(*call, held);
    return s;
  }

  Stmt in_loop(For const& loop, RegisterState& held) {
    RegisterState inside = runs_elsewhere(loop) ? RegisterState() : held;
    // Iterations after the first one begin with what the one before has left.
    for (auto const& [name, need] : Needs::of(loop.body))
      if (!is_int(loop.extent, 1) && (need.set || !need.one)) inside.erase(name);
    Stmt body = visit(loop.body, inside);
    Stmt next = make_from<For>(loop.origin, loop.id, loop.var, loop.extent, loop.loop_kind, body,
                               loop.bind);
    held = after_loop(next.to<For>(), held, std::move(inside));
    return next;
  }

  Stmt in_branches(If const& node, RegisterState& held) {
    RegisterState other = held;
    Stmt then_body = visit(node.then_body, held);
    Stmt else_body = node.else_body ? visit(node.else_body, other) : Stmt();
    held = in_both(held, other);
    return make_from<If>(node.origin, node.condition, then_body, else_body);
  }

  Target const& target_;
  Status status_;
};

bool works_by_registers(Stmt const& body) {
  bool found = false;
  walk(body, [&](Stmt const& s) {
    auto const* call = s.as<IntrinsicCall>();
    return found = found || (call && !call->intrinsic->needs.empty()), !found;
  });
  return found;
}

Result<KernelIr> run_on(KernelIr const& kernel, PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    if (!works_by_registers(function.body)) return next;
    Setting setting(context.target);
    RegisterState held;
    next.body = setting.visit(function.body, held);
    TRY(setting.status());
    return next;
  });
}

}  // namespace

Pass insert_mode_switches() {
  return {"insert_mode_switches",
          "Inserts writes of mode registers before the calls that need them, hoisted as far out as "
          "legal",
          "after calls are in their final order: nothing between them sets a register",
          run_on,
          {.needs = {Invariant::kNoBlocks}, .gives = {Invariant::kSetRegisters}}};
}

}  // namespace tw
