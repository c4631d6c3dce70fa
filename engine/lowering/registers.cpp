#include "engine/lowering/registers.h"

#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"

namespace tw {

using namespace ir;

RegisterState registers_of(IntrinsicCall const& call, std::vector<RegisterValue> const& registers) {
  Substitution numbers;
  for (size_t i = 0; i < call.operands.size(); ++i)
    if (IntrinsicParam const& param = call.intrinsic->params[i]; !param.buffer)
      numbers[param.name()] = call.operands[i].value;
  RegisterState values;
  for (RegisterValue const& one : registers)
    values[one.name] = arith::simplify(substitute(one.value, numbers));
  return values;
}

void run(IntrinsicCall const& call, RegisterState& held) {
  for (auto& [name, value] : registers_of(call, call.intrinsic->sets)) held[name] = value;
}

bool runs_elsewhere(For const& loop) {
  return loop.loop_kind == LoopKind::kBind || loop.loop_kind == LoopKind::kParallel;
}

void forget(RegisterState& held, std::string const& variable) {
  std::erase_if(held, [&](auto const& one) { return uses_variable(one.second, variable); });
}

RegisterState in_both(RegisterState const& a, RegisterState const& b) {
  RegisterState both;
  for (auto const& [name, value] : a)
    if (auto other = b.find(name); other != b.end() && equal(value, other->second))
      both[name] = value;
  return both;
}

namespace {

std::set<std::string> set_in(Stmt const& body) {
  std::set<std::string> names;
  walk(body, [&](Stmt const& s) {
    if (auto const* call = s.as<IntrinsicCall>())
      for (RegisterValue const& one : call->intrinsic->sets) names.insert(one.name);
    return true;
  });
  return names;
}

}  // namespace

RegisterState after_loop(For const& loop, RegisterState const& before, RegisterState inside) {
  forget(inside, loop.name());
  // One of those that ran some may be the one that goes on.
  if (runs_elsewhere(loop)) {
    RegisterState left = before;
    std::set<std::string> const set = set_in(loop.body);
    std::erase_if(left, [&](auto const& one) {
      auto there = inside.find(one.first);
      return set.contains(one.first) &&
             (there == inside.end() || !equal(there->second, one.second));
    });
    return left;
  }
  auto extent = as_int(loop.extent);
  return extent && *extent > 0 ? inside : in_both(before, inside);
}

namespace {

/// Follows a kernel in the order in which it runs.
class Following {
public:
  Stmt const& culprit() const { return culprit_; }

  void visit(Stmt const& s, RegisterState& held) {
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) visit(child, held);
    } else if (auto const* loop = s.as<For>()) {
      visit_loop(*loop, held);
    } else if (auto const* node = s.as<If>()) {
      RegisterState other = held;
      visit(node->then_body, held);
      if (node->else_body) visit(node->else_body, other);
      held = in_both(held, other);
    } else if (auto const* alloc = s.as<Alloc>()) {
      visit(alloc->body, held);
    } else if (auto const* let = s.as<Let>()) {
      visit(let->body, held);
      forget(held, let->var.to<Variable>().name);
    } else if (auto const* call = s.as<IntrinsicCall>()) {
      visit_call(s, *call, held);
    }
  }

private:
  void visit_call(Stmt const& s, IntrinsicCall const& call, RegisterState& held) {
    for (auto const& [name, needed] : registers_of(call, call.intrinsic->needs)) {
      auto there = held.find(name);
      if (!culprit_ && (there == held.end() || !equal(there->second, needed))) culprit_ = s;
    }
    run(call, held);
  }

  void visit_loop(For const& loop, RegisterState& held) {
    RegisterState entry = runs_elsewhere(loop) ? RegisterState() : held;
    // What an iteration leaves is what the next one begins with: fewer registers each time.
    for (bool again = true; again;) {
      Following once;
      RegisterState left = entry;
      once.visit(loop.body, left);
      forget(left, loop.name());
      RegisterState both = in_both(entry, left);
      again = both.size() < entry.size();
      entry = std::move(both);
    }
    RegisterState inside = entry;
    visit(loop.body, inside);
    held = after_loop(loop, held, std::move(inside));
  }

  Stmt culprit_;
};

}  // namespace

Stmt call_without_register(Stmt const& body) {
  Following following;
  RegisterState held;
  following.visit(body, held);
  return following.culprit();
}

}  // namespace tw
