#include "engine/lowering/launch_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/ir/accesses.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/speculation.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/index_period.h"
#include "engine/target/axis_of.h"

namespace tw {

using namespace ir;

namespace {

constexpr size_t kMostSteps = 1 << 12;

bool is_wait(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->completion == Completion::kWaits;
}
bool is_commit(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->completion == Completion::kCommits;
}
std::string const& queue_of(Stmt const& call) { return call.to<IntrinsicCall>().intrinsic->queue; }

/// Of a statement that starts calls of one queue, and does nothing else.
std::optional<std::string> started_queue(Stmt const& root) {
  std::optional<std::string> queue;
  walk(root, [&](Stmt const& s) {
    if (!queue && starts_copy(s)) queue = queue_of(s);
    return !queue;
  });
  if (queue && !AsyncQueue{*queue, {}, {}}.starts_only(root)) queue.reset();
  return queue;
}

bool is_barrier(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->barrier;
}
bool orders(Stmt const& s) { return is_barrier(s) || is_wait(s) || is_commit(s) || has_phases(s); }
bool holds_phases(Stmt const& root) {
  return holds(root, [](Stmt const& s) { return has_phases(s); });
}

LaunchStepKind kind_of(Completion completion) {
  switch (completion) {
    case Completion::kOpens:
      return LaunchStepKind::kOpen;
    case Completion::kArrives:
      return LaunchStepKind::kArrive;
    case Completion::kDelivers:
      return LaunchStepKind::kDeliver;
    default:
      return LaunchStepKind::kAwait;
  }
}

/// A statement without barriers and waits, in any iteration.
struct Leaf {
  std::vector<ThreadAccess> shared, copied;
  std::map<std::string, int64_t> periods;  ///< of counters that it uses; 0: never again
};

template <typename F>
void each_expr(ThreadAccess& access, F const& f) {
  for (Expr& index : access.indices) f(index);
  for (Expr& condition : access.place.conditions) f(condition);
}

/// The most groups that a wait lets be under way.
int64_t deepest_wait(Stmt const& body) {
  int64_t most = 0;
  walk(body, [&](Stmt const& s) {
    if (is_wait(s))
      most = std::max(most, as_int(s.to<IntrinsicCall>().operands[0].value).value_or(0));
    return true;
  });
  return most;
}

class Walk {
public:
  Walk(Target const& target, Launch const& launch, Guards guards, TakenSide side)
      : launch_(launch),
        all_shared_(with_shared_memories(target)),
        shared_races_(target, {}),
        all_races_(all_shared_, {}),
        guards_(guards),
        side_(side) {
    shared_place_.loops = launch.around;
    copied_place_.loops = launch.around;
    copied_place_.loops.insert(copied_place_.loops.end(), launch.threads.begin(),
                               launch.threads.end());
    auto add = [](std::set<std::string>& names) {
      return [&names](Touched const& at) { names.insert(at.buffer->name); };
    };
    walk_writes(launch.body, add(written_));
    walk(launch.body, [&](Stmt const& s) {
      if (!starts_copy(s)) return true;
      walk_writes(s, add(copied_));
      walk_reads(s, add(copied_));
      return true;
    });
    run(launch.body);
  }

  LaunchSteps take() && { return std::move(made_); }

private:
  void give_up(char const* why) {
    if (made_.undecided.empty()) made_.undecided = why;
  }

  void add(LaunchStep step) {
    step.role = role_;
    if (made_.steps.size() == kMostSteps) give_up("it takes too many steps");
    if (made_.undecided.empty()) made_.steps.push_back(std::move(step));
  }

  void run(Stmt const& s) {
    if (!made_.undecided.empty()) return;
    if (is_barrier(s) && role_ >= 0) return give_up("a barrier stands in one role");
    if (is_barrier(s)) return add({LaunchStepKind::kBarrier});
    if (has_phases(s)) return run_phase(s.to<IntrinsicCall>());
    if (is_commit(s)) return add({.kind = LaunchStepKind::kCommit, .queue = queue_of(s)});
    if (is_wait(s)) return run_wait(s);
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) run(child);
    } else if (!holds(s, orders)) {
      run_leaf(s);
    } else if (auto const* loop = s.as<For>()) {
      run_loop(*loop);
    } else if (auto const* alloc = s.as<Alloc>()) {
      run(alloc->body);
      if (copied_.contains(alloc->buffer->name))
        add({.kind = LaunchStepKind::kRelease, .tensor = alloc->buffer->name});
    } else if (auto const* node = s.as<If>(); node && is_alike(node->condition)) {
      made_.has_sides = true;
      each_chosen(*node, [&](Stmt const& chosen) { run(chosen); });
    } else if (node && role_ < 0 && holds_phases(s) && take_roles(*node)) {
      each_role(*node, [&](Stmt const& part) { run(part); });
      role_ = -1;
    } else {
      give_up("a barrier or a wait stands below a condition");
    }
  }

  /// All threads of a block take one side, once and for all.
  bool is_alike(Expr const& condition) const {
    auto counts = [&](std::string const& name) { return uses_variable(condition, name); };
    auto tells = [&](For const* loop) { return counts(loop->name()); };
    return !reads_tensor(condition) && std::ranges::none_of(launch_.threads, tells) &&
           std::ranges::none_of(values_, [&](auto const& at) { return counts(at.first); });
  }
  template <typename F>
  void each_chosen(If const& node, F const& f) {
    bool then = side_ == TakenSide::kThen;
    if (!then && !node.else_body) return;
    for (AccessPlace* place : {&shared_place_, &copied_place_})
      place->conditions.push_back(then ? node.condition : opposite(node.condition));
    f(then ? node.then_body : node.else_body);
    for (AccessPlace* place : {&shared_place_, &copied_place_}) place->conditions.pop_back();
  }

  /// Threads that differ in one counter, and what each of them does.
  bool take_roles(If const& node) {
    std::vector<int64_t> roles = members(node.condition);
    if (roles.empty() || !made_.roles.empty() || !node.else_body) return false;
    made_.roles = std::move(roles);
    each_role(node,
              [&](Stmt const& part) { walk(part, [&](Stmt const& s) { return take_turns(s); }); });
    return true;
  }
  /// How many threads a condition holds for, and for how many it does not. None: that is not so.
  std::vector<int64_t> members(Expr const& condition) const {
    std::vector<int64_t> counts{0, 0};
    int64_t others = 1;
    bool told = false;
    for (For const* loop : launch_.threads) {
      int64_t extent = as_int(loop->extent).value_or(0);
      if (!uses_variable(condition, loop->name())) {
        others *= extent;
        continue;
      }
      if (std::exchange(told, true)) return {};
      for (int64_t i = 0; i < extent; ++i) {
        Expr at = arith::simplify(substitute(condition, {{loop->name(), int_imm(i)}}));
        if (!is_int(at, 0) && !is_int(at, 1)) return {};
        ++counts[is_int(at, 1) ? 0 : 1];
      }
    }
    if (!told || counts[0] * counts[1] == 0) return {};
    return {counts[0] * others, counts[1] * others};
  }
  /// Loops of roles turn together: both are cut in the same way, by what both touch. A phase's
  /// parity comes again after two turns of the ring.
  bool take_turns(Stmt const& s) {
    auto const* loop = s.as<For>();
    if (!loop || !holds_phases(s)) return true;
    if (!role_loops_.empty() && !equal((*role_loops_.begin())->extent, loop->extent))
      give_up("loops of two roles turn differently often");
    role_loops_.insert(loop);
    role_depth_ = std::max(role_depth_, deepest_wait(loop->body));
    walk(s, [&](Stmt const& part) {
      if (has_phases(part))
        for (Operand const& one : part.to<IntrinsicCall>().operands)
          if (auto const* word = one.value.as<Load>())
            role_period_ = common_period(role_period_, period_of(word->indices[0], loop->name()));
      return true;
    });
    each_leaf(loop->body, [&](Leaf& leaf) {
      role_period_ = common_period(role_period_, period_in(leaf, loop->name()));
    });
    return true;
  }
  template <typename F>
  void each_role(If const& node, F const& f) {
    TakenSide before = std::exchange(side_, TakenSide::kThen);
    for (int32_t role : {0, 1}) {
      role_ = role;
      side_ = role == 0 ? TakenSide::kThen : TakenSide::kElse;
      each_chosen(node, f);
    }
    side_ = before;
  }

  void run_phase(IntrinsicCall const& call) {
    Substitution by;
    for (auto const& [name, value] : values_) by[name] = int_imm(value);
    auto number = [&](Expr const& e) { return as_int(arith::simplify(substitute(e, by))); };
    auto const& word = call.operands[0].value.to<Load>();
    Substitution first;
    for (OperandAxis const& axis : call.operands[0].axes) first[axis.name()] = int_imm(0);
    auto place = number(substitute(word.indices[0], first));
    auto count = call.operands.size() > 1 ? number(call.operands[1].value) : 0;
    if (!place || !count) return give_up("which phase is meant is computed");
    add({.kind = kind_of(call.intrinsic->completion),
         .groups = *count,
         .tensor = fmt::format("{}[{}]", word.buffer->name, *place)});
  }

  void run_wait(Stmt const& s) {
    auto groups = as_int(s.to<IntrinsicCall>().operands[0].value);
    if (!groups) return give_up("a wait's number is computed");
    add({.kind = LaunchStepKind::kWait, .groups = *groups, .queue = queue_of(s)});
  }

  void run_loop(For const& loop) {
    auto extent = as_int(loop.extent);
    bool plain = loop.loop_kind == LoopKind::kSerial || loop.loop_kind == LoopKind::kUnroll;
    if (!plain) return give_up("a loop that holds barriers or waits is not serial");
    if (!extent) return give_up("how often a loop with barriers or waits turns is not known");
    for (int64_t i = 0; i < turns(loop, *extent) && made_.undecided.empty(); ++i) {
      values_[loop.name()] = i;
      run(loop.body);
    }
    values_.erase(loop.name());
  }

  /// If two iterations are not ordered, neither are the later one and what is a turn of the ring
  /// nearer: so the least distance of two that touch the same is below two turns. Before that,
  /// waits for groups may still be met by fewer than they ask for.
  int64_t turns(For const& loop, int64_t extent) {
    auto known = turns_.find(&loop);
    if (known != turns_.end()) return known->second;
    int64_t period = 1;
    each_leaf(loop.body,
              [&](Leaf& leaf) { period = common_period(period, period_in(leaf, loop.name())); });
    bool of_role = role_loops_.contains(&loop);
    if (of_role) period = 2 * role_period_;
    int64_t least = (of_role ? role_depth_ : deepest_wait(loop.body)) + 2 * period + 2;
    int64_t turns = extent;
    if (period > 0 && extent > least) turns = least + (extent - least) % period;
    return turns_[&loop] = turns;
  }

  template <typename F>
  void each_leaf(Stmt const& s, F const& f) {
    if (orders(s)) return;
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) each_leaf(child, f);
    } else if (!holds(s, orders)) {
      f(leaf_of(s));
    } else if (auto const* loop = s.as<For>()) {
      each_leaf(loop->body, f);
    } else if (auto const* alloc = s.as<Alloc>()) {
      each_leaf(alloc->body, f);
    } else if (auto const* node = s.as<If>(); node && is_alike(node->condition)) {
      each_chosen(*node, [&](Stmt const& chosen) { each_leaf(chosen, f); });
    }
  }

  Leaf& leaf_of(Stmt const& s) {
    auto [at, is_new] = leaves_.try_emplace(s.get());
    Leaf& leaf = at->second;
    if (!is_new) return leaf;
    leaf.shared = shared_races_.accesses(s, shared_place_);
    std::erase_if(leaf.shared, [&](auto const& one) { return !written_.contains(one.tensor); });
    if (!copied_.empty()) leaf.copied = all_races_.accesses(s, copied_place_);
    std::erase_if(leaf.copied, [&](auto const& one) {
      return !written_.contains(one.tensor) || !copied_.contains(one.tensor);
    });
    return leaf;
  }

  int64_t period_in(Leaf& leaf, std::string const& name) const {
    auto [at, is_new] = leaf.periods.try_emplace(name, 1);
    int64_t& all = at->second;
    if (!is_new) return all;
    for (auto* list : {&leaf.shared, &leaf.copied})
      for (ThreadAccess& access : *list) {
        if (guards_ == Guards::kDropped)
          std::erase_if(access.place.conditions,
                        [&](Expr const& one) { return period_of(one, name) == 0; });
        each_expr(access, [&](Expr& e) { all = common_period(all, period_of(e, name)); });
      }
    return all;
  }

  void run_leaf(Stmt const& s) {
    std::optional<std::string> queue = started_queue(s);
    if (!queue && holds(s, starts_copy)) return give_up("copies are started beside other work");
    Leaf& leaf = leaf_of(s);
    std::vector<int64_t> key;
    Substitution by;
    for (auto const& [name, value] : values_) {
      int64_t period = period_in(leaf, name);
      key.push_back(period > 0 ? value % period : value);
      by[name] = int_imm(value);
    }
    auto [at, is_new] = effects_.try_emplace({s.get(), key}, int32_t(made_.effects.size()));
    if (is_new) {
      StepEffect effect{leaf.shared, leaf.copied};
      for (auto* list : {&effect.shared, &effect.copied}) {
        for (ThreadAccess& access : *list)
          each_expr(access, [&](Expr& e) { e = substitute(e, by); });
        std::erase_if(*list, [&](ThreadAccess const& access) { return never_happens(access); });
      }
      made_.effects.push_back(std::move(effect));
    }
    // What does nothing in this iteration starts no copy, either.
    StepEffect const& effect = made_.effects[size_t(at->second)];
    if (effect.shared.empty() && effect.copied.empty()) return;
    add({.kind = queue ? LaunchStepKind::kStart : LaunchStepKind::kTouch,
         .effect = at->second,
         .queue = queue.value_or("")});
  }

  bool never_happens(ThreadAccess const& access) const {
    return std::ranges::any_of(access.place.conditions, [&](Expr const& one) {
      return arith::never(one, ranges_of(launch_, access));
    });
  }

  Launch const& launch_;
  Target const all_shared_;
  ThreadRaces shared_races_, all_races_;
  Guards guards_;
  TakenSide side_;
  AccessPlace shared_place_, copied_place_;
  std::set<std::string> written_, copied_;
  std::map<std::string, int64_t> values_;
  std::map<StmtNode const*, Leaf> leaves_;
  std::map<For const*, int64_t> turns_;
  std::map<std::pair<StmtNode const*, std::vector<int64_t>>, int32_t> effects_;
  int32_t role_ = -1;
  std::set<For const*> role_loops_;
  int64_t role_period_ = 1, role_depth_ = 0;
  LaunchSteps made_;
};

bool holds_launches(Target const& target, Stmt const& root) {
  bool found = false;
  walk(root, [&](Stmt const& s) { return found = found || is_launch(target, s), !found; });
  return found;
}

void find_launches(Target const& target, Stmt const& s, std::vector<For const*>& around,
                   Launches& found) {
  if (!holds_launches(target, s)) {  // of one thread, whose copies alone are under way beside it
    if (holds(s, starts_copy)) found.all.push_back({around, {}, s});
  } else if (auto const* loop = s.as<For>()) {
    ThreadAxis const* axis = axis_of(target, *loop);
    if (!axis || axis->level != Level::kThread) {
      around.push_back(loop);
      find_launches(target, loop->body, around, found);
      around.pop_back();
      return;
    }
    Launch launch{around, {}, s};
    for (; loop && loop->loop_kind == LoopKind::kBind; loop = launch.body.as<For>()) {
      launch.threads.push_back(loop);
      launch.body = loop->body;
    }
    found.all.push_back(std::move(launch));
  } else if (auto const* list = s.as<Seq>()) {
    if (holds_outside_launches(target, s, starts_copy))
      found.undecided = "copies are started beside a launch";
    for (Stmt const& child : list->stmts)
      if (holds_launches(target, child)) find_launches(target, child, around, found);
  } else if (auto const* alloc = s.as<Alloc>()) {
    find_launches(target, alloc->body, around, found);
  } else if (auto const* node = s.as<If>()) {
    find_launches(target, node->then_body, around, found);
    if (node->else_body) find_launches(target, node->else_body, around, found);
  }
}

}  // namespace

Launches launches_below(Target const& target, Function const& function) {
  Launches found;
  std::vector<For const*> around;
  for (SizeParam const& size : function.sizes)
    if (size.low == 0 && size.high < INT32_MAX)
      found.sizes.push_back(make<For>(LoopId(), size.var, int_imm(size.high + 1), LoopKind::kSerial,
                                      seq({}), std::string()));
  for (Stmt const& size : found.sizes) around.push_back(&size.to<For>());
  find_launches(target, function.body, around, found);
  return found;
}

arith::Ranges ranges_of(Launch const& launch, ThreadAccess const& access) {
  arith::Ranges ranges;
  auto run = [&](std::string const& name, Expr const& extent) {
    if (auto count = as_int(extent)) ranges.set(name, {0, *count - 1});
  };
  for (For const* loop : launch.threads) run(loop->name(), loop->extent);
  for (For const* loop : access.place.loops) run(loop->name(), loop->extent);
  for (OperandAxis const& axis : access.axes) run(axis.name(), axis.extent);
  return ranges;
}

LaunchSteps steps_of(Target const& target, Launch const& launch, Guards guards, TakenSide side) {
  return Walk(target, launch, guards, side).take();
}

Target with_shared_memories(Target const& target) {
  Target all = target;
  for (MemoryScope& memory : all.scopes)
    memory.shared_by = std::max(memory.shared_by, Level::kBlock);
  return all;
}

}  // namespace tw
